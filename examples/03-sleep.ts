/** A sleep belongs to the run, not to the worker: the deadline is kept while no worker is there at all. */
import { setTimeout as pause } from "node:timers/promises";
import { createWorkflowClient } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { startDatabase } from "./database.ts";

const reminder = workflow({
  name: "reminder",
  run: async (ctx) => {
    await ctx.step.run("before", () => "first worker");
    await ctx.step.sleep("a-while", "4s"); // "90d" costs the same: one row
    return ctx.step.run("after", () => "second worker");
  },
});

await using database = await startDatabase();
await using client = createWorkflowClient({ url: database.url });

const first = reminder.serve({ url: database.url });
const run = await client.start(reminder, null);
while ((await client.runs.get("reminder", run.runId)).activity !== "sleeping") await pause(20);
await first.stop();

const { activity, resumesAt } = await client.runs.get("reminder", run.runId);
console.log("without a worker, the run is", activity);

const second = reminder.serve({ url: database.url });
await run.result({ timeout: "60s" });
await second.stop();

const journal = await client.runs.steps(run.runId);
console.log("journal:", journal.map(({ name }) => name).join(", "));
const woke = journal.find(({ name }) => name === "after");
const lateMs = (woke?.completedAt.getTime() ?? Infinity) - (resumesAt?.getTime() ?? 0);
console.log("woke before its time:", lateMs < 0);
console.log("woke within five seconds of it:", lateMs < 5000);

// Output:
// without a worker, the run is sleeping
// journal: before, a-while, after
// woke before its time: false
// woke within five seconds of it: true
