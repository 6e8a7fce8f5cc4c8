/** Operating runs: one run a key, a pause, a retry where it failed, a rerun from a step, and finding them all. */
import { createWorkflowClient } from "@oxbow/sdk";
import { NonRetriableError, workflow } from "@oxbow/sdk/runtime";
import { startDatabase } from "./database.ts";

let isBankDown = true;

const invoice = workflow({
  name: "invoice",
  run: async (ctx, input: { customer: string }) => {
    const number = await ctx.step.run("number", () => {
      console.log("a number is drawn");
      return 1001;
    });
    ctx.set("phase", "charging");
    await ctx.step.run("charge", () => {
      if (isBankDown) throw new NonRetriableError("the bank is down");
    });
    return ctx.step.run("print", () => `invoice ${number} for ${input.customer}`);
  },
});

await using database = await startDatabase();
await using client = createWorkflowClient({ url: database.url });
const key = { idempotencyKey: "order-7", tags: { region: "eu" } };

const run = await client.start(invoice, { customer: "Ada" }, key);
await run.pause("month-end");
const worker = invoice.serve({ url: database.url });
console.log("paused:", (await run.status()).pauseReason);
await run.resume();
console.log(await run.result({ timeout: "10s" }).catch((error: Error) => error.message.slice(-16)));

// The bank is back: the run resumes where it failed.
isBankDown = false;
await client.runs.retryAll({ workflow: invoice, status: "failed" });
console.log(await run.result({ timeout: "10s" }));
console.log(await client.runs.state(run.runId));

// The same key returns the existing run; a new one starts only if that one had failed.
const same = await client.start(
  invoice,
  { customer: "Ada" },
  { ...key, onEnded: "start-new-if-failed" },
);
console.log("created:", same.created);

const corrected = await run.rerun({ fromStep: "print", input: { customer: "Ada Lovelace" } });
console.log(await corrected.result({ timeout: "10s" }));

for await (const { runs } of client.runs.list({ tags: { region: "eu" } })) {
  for (const { status, rerunOf } of runs)
    console.log(rerunOf === null ? status : `${status}, a rerun`);
}
await worker.stop();

// Output:
// paused: month-end
// a number is drawn
// the bank is down
// invoice 1001 for Ada
// { phase: 'charging' }
// created: false
// invoice 1001 for Ada Lovelace
// completed, a rerun
// completed
