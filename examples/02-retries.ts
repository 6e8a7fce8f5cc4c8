/** Steps that fail: tried again, tried again later, or not at all, and caught. */
import { createWorkflowClient } from "@oxbow/sdk";
import { NonRetriableError, RetryAfterError, StepFailed, workflow } from "@oxbow/sdk/runtime";
import { startDatabase } from "./database.ts";

const calls = { charge: 0, limited: 0 };

const checkout = workflow({
  name: "checkout",
  // For every step without its own policy.
  retry: { attempts: 4, backoff: { kind: "exp", base: "100ms", max: "5s", jitter: 0.2 } },
  run: async (ctx) => {
    const charge = await ctx.step.run("charge", () => {
      calls.charge += 1;
      if (calls.charge < 3) throw new Error("gateway timeout");
      return "paid";
    });

    // A callback that knows when to retry specifies it.
    const quota = await ctx.step.run("rate-limited", () => {
      calls.limited += 1;
      if (calls.limited === 1) throw new RetryAfterError("300ms", "429");
      return "allowed";
    });

    // A failure for good is an exception like any other, and journaled: a replay takes the same way.
    try {
      await ctx.step.run("redeem-coupon", () => {
        throw new NonRetriableError("the coupon has expired");
      });
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      await ctx.step.run("without-coupon", () => {});
    }
    return { charge, quota };
  },
});

await using database = await startDatabase();
const worker = checkout.serve({ url: database.url });
await using client = createWorkflowClient({ url: database.url });

const run = await client.start(checkout, null);
console.log(await run.result({ timeout: "20s" }));

for (const { name, attempts, error } of await client.runs.steps(run.runId)) {
  const outcome = error === undefined ? "succeeded" : `failed with "${error.message}"`;
  console.log(`${name}: ${outcome}, attempts: ${attempts}`);
}
await worker.stop();

// Output:
// { quota: 'allowed', charge: 'paid' }
// charge: succeeded, attempts: 3
// rate-limited: succeeded, attempts: 2
// redeem-coupon: failed with "the coupon has expired", attempts: 1
// without-coupon: succeeded, attempts: 1
