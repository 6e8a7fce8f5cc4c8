/** The workflow of the demo. Nothing in it knows about crashes. */
import { workflow } from "@oxbow/sdk/runtime";
import { createCustomer, nudge, sendWelcome, syncCrm } from "./app.ts";

export const onboardUser = workflow({
  name: "onboard-user",
  run: async (ctx, input: { email: string }) => {
    const customer = await ctx.step.run("create-user", () => createCustomer(input.email));

    await ctx.step.sleep("welcome-delay", "1s");

    await ctx.step.run("send-welcome", (signal) => sendWelcome(customer, signal));

    await ctx.step.run("sync-crm", () => syncCrm(customer), {
      retry: { attempts: 5, backoff: { kind: "exp", base: "500ms" } },
    });

    const verified = await ctx.step.waitForEvent("verify", {
      match: { userId: customer.id },
      timeout: "7d",
    });
    if (verified === null) await ctx.step.run("nudge", () => nudge(customer));

    return { userId: customer.id, verified: verified !== null };
  },
});
