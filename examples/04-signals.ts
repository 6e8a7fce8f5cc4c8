/** Waiting for the outside world: by the name of an event, by what it contains, and not for ever. */
import { createWorkflowClient } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { startDatabase } from "./database.ts";

interface Approval {
  readonly amount: number;
  readonly by: string;
}

const approval = workflow({
  name: "approval",
  run: async (ctx, input: { amount: number }) => {
    // Only a signal whose payload contains this; others stay in store for a wait that wants them.
    const approved = await ctx.step.waitForEvent("approved", {
      match: { amount: input.amount },
      timeout: "1h",
    });
    const receipt = await ctx.step.waitForEvent("wait-for-receipt", {
      event: "receipt",
      timeout: "300ms",
    });
    return { by: (approved as Approval | null)?.by ?? "nobody", receipt };
  },
});

await using database = await startDatabase();
await using client = createWorkflowClient({ url: database.url });

const run = await client.start(approval, { amount: 100 });

// No worker has seen the run: what comes early is kept.
console.log(await client.signal(run.runId, "approved", { amount: 7, by: "Bob" }));
console.log(await client.signal(run.runId, "approved", { amount: 100, by: "Ada" }));

const worker = approval.serve({ url: database.url });
console.log(await run.result({ timeout: "10s" }));
console.log(await client.signal(run.runId, "approved", { amount: 100, by: "Eve" }));

for (const { name, kind, output } of await client.runs.steps(run.runId)) {
  console.log(`${name} (${kind}) =`, output ?? "nothing, timed out");
}
await worker.stop();

// Output:
// buffered
// buffered
// { by: 'Ada', receipt: null }
// ignored
// approved (wait) = { by: 'Ada', amount: 100 }
// wait-for-receipt (wait) = nothing, timed out
