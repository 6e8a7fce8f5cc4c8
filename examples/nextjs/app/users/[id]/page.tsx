import { OxbowProvider } from "@oxbow/react";
import { eq } from "drizzle-orm";
import { notFound } from "next/navigation";
import { z } from "zod";
import { client } from "@/lib/client";
import { db, users } from "@/lib/database";
import { Onboarding } from "./onboarding";

export default async function UserPage({ params }: PageProps<"/users/[id]">) {
  const { id } = await params;
  if (!z.uuid().safeParse(id).success) notFound();
  const [user] = await db.select().from(users).where(eq(users.id, id));
  if (user === undefined) notFound();
  const { email, runId } = user;

  /** The page asks for a token whenever it connects. Next.js seals the run's id, so it gets no other run's. */
  async function getToken() {
    "use server";
    return client.runs.token(runId, { allow: ["read", "signal:approved"], name: email });
  }

  return (
    <OxbowProvider url={process.env.OXBOW_URL} token={getToken}>
      <h1>{email}</h1>
      <Onboarding runId={runId} initial={await client.runs.snapshot(runId)} />
    </OxbowProvider>
  );
}
