"use server";
import { randomUUID } from "node:crypto";
import { ValidationFailed } from "@oxbow/sdk";
import { DrizzleQueryError } from "drizzle-orm";
import { redirect } from "next/navigation";
import { client } from "@/lib/client";
import { db, users } from "@/lib/database";
import { fromDrizzle } from "@/lib/from-drizzle";
import { onboardUser } from "@/lib/onboard-user";

/** Inserts the user and starts the run in one transaction: both exist, or neither. Returns what is wrong. */
export async function signUp(_before: string | null, form: FormData): Promise<string> {
  const userId = randomUUID();
  const email = String(form.get("email"));
  try {
    await db.transaction(async (tx) => {
      const run = await client.start(onboardUser, { userId, email }, { tx: fromDrizzle(tx) });
      await tx.insert(users).values({ id: userId, email, runId: run.runId });
    });
  } catch (error) {
    return problemOf(error);
  }
  redirect(`/users/${userId}`);
}

function problemOf(error: unknown): string {
  if (error instanceof ValidationFailed) return "Enter a valid email address.";
  if (isTaken(error)) return "This address has already signed up.";
  throw error;
}

const isTaken = (error: unknown): boolean =>
  error instanceof DrizzleQueryError && (error.cause as { code?: string }).code === "23505";
