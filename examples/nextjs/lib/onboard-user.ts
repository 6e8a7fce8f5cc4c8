/** The steps after a sign-up. Each is journaled: when a function dies, the next one continues after the last step. */
import { workflow } from "@oxbow/sdk/runtime";
import { eq } from "drizzle-orm";
import { z } from "zod";
import { db, users } from "./database";
import { sendMail } from "./mail";

export const onboardUser = workflow({
  name: "onboard-user",
  input: z.object({ userId: z.uuid(), email: z.email() }),
  events: { approved: z.object({ by: z.string() }) },
  run: async (ctx, { userId, email }) => {
    await ctx.step.run("confirm", (signal) =>
      sendMail({ to: email, subject: "We have received your request" }, signal),
    );
    await ctx.step.run("ask team", (signal) =>
      sendMail({ to: "team@example.com", subject: `May ${email} join?` }, signal),
    );

    // No function runs until then.
    const approval = await ctx.step.waitForEvent("approved", { timeout: "7d" });
    const status = approval === null ? "expired" : "member";

    // The row and the journal commit in one transaction, so this happens exactly once.
    await ctx.step.tx("decide", async (tx) => {
      const update = db.update(users).set({ status }).where(eq(users.id, userId)).toSQL();
      await tx.query(update.sql, update.params);
    });

    const subject =
      approval === null ? "Your request has expired" : `Welcome! ${approval.by} has approved you`;
    await ctx.step.run("tell", (signal) => sendMail({ to: email, subject }, signal));
    return status;
  },
});
