/** Runs that the clock starts: by an interval or a cron expression, once a tick, however many workers there are. */
import { createWorkflowClient } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { startDatabase } from "./database.ts";

const report = workflow({
  name: "report",
  run: async (ctx, input: { kind: string }) => {
    // The time that the run is for, however late it begins.
    const tick = ctx.schedule?.scheduledAt ?? ctx.startedAt;
    return ctx.step.run("write", () => ({ ...input, isWholeSecond: tick.getTime() % 1_000 === 0 }));
  },
});

await using database = await startDatabase();
await using client = createWorkflowClient({ url: database.url });

// At each deployment: it makes the schedule what is given here.
const ticking = { name: "ticking", workflow: report, every: "1s", input: { kind: "short" } };
console.log(await client.schedules.create(ticking));
console.log(await client.schedules.create(ticking));
console.log(
  await client.schedules.create({
    name: "weekdays",
    workflow: report,
    cron: "0 9 * * 1-5",
    timeZone: "Europe/Berlin",
    input: { kind: "long" },
    catchUp: "skip",
    overlap: "skip",
  }),
);

// Two workers share the ticks: each tick is carried out once.
const workers = [1, 2].map(() => report.serve({ url: database.url }));
const ticks: number[] = [];
await new Promise<void>((resolve) => {
  for (const worker of workers) {
    worker.events.on("scheduleTicked", ({ scheduledAt }) => {
      ticks.push(scheduledAt.getTime() / 1_000);
      if (ticks.length === 3) resolve();
    });
  }
});
await client.schedules.pause("ticking", { reason: "seen enough" });
console.log("ticks that came twice:", ticks.length - new Set(ticks).size);

// Starts by hand, whatever its ticks.
const run = await client.schedules.trigger("weekdays");
console.log(await run.result({ timeout: "10s" }));

for (const { name, cron, pausedAt } of await client.schedules.list()) {
  console.log(name, cron ?? "by interval", pausedAt === null ? "is active" : "is paused");
}
await Promise.all(workers.map((worker) => worker.stop()));

// Output:
// created
// unchanged
// created
// ticks that came twice: 0
// { kind: 'long', isWholeSecond: false }
// ticking by interval is paused
// weekdays 0 9 * * 1-5 is active
