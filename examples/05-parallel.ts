/** Concurrency within a run is plain JavaScript: Promise.all, Promise.race, loops. */
import { setTimeout as pause } from "node:timers/promises";
import { createWorkflowClient } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { startDatabase } from "./database.ts";

const CITIES = ["berlin", "lagos", "lima", "osaka"];

const weather = workflow({
  name: "weather",
  run: async (ctx) => {
    // Names are unique within a run: in a loop, the item is part of the name.
    const reports = await Promise.all(
      CITIES.map((city) =>
        ctx.step.run(`fetch-${city}`, async () => {
          await pause(300);
          return `${city}: sunny`;
        }),
      ),
    );

    // The winner of a race is the same on every replay. The loser continues until the run ends.
    const winner = await Promise.race([
      ctx.step.waitForEvent("storm-warning").then(() => "storm"),
      ctx.step.sleep("patience", "200ms").then(() => "calm"),
    ]);
    return { reports, winner };
  },
});

await using database = await startDatabase();
const worker = weather.serve({ url: database.url });
await using client = createWorkflowClient({ url: database.url });

const run = await client.start(weather, null);
console.log(await run.result({ timeout: "10s" }));

const journal = await client.runs.steps(run.runId);
const fetches = journal.filter(({ name }) => name.startsWith("fetch-"));
const began = Math.max(...fetches.map(({ startedAt }) => startedAt.getTime()));
const ended = Math.min(...fetches.map(({ completedAt }) => completedAt.getTime()));
console.log("all fetches at the same time:", began < ended);
await worker.stop();

// Output:
// {
//   winner: 'calm',
//   reports: [ 'berlin: sunny', 'lagos: sunny', 'lima: sunny', 'osaka: sunny' ]
// }
// all fetches at the same time: true
