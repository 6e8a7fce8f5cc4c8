/** Workflows: rates, latencies, and what a step costs the database. One client, one worker process. */
import { setTimeout as sleep } from "node:timers/promises";
import { databaseCost } from "../measure/database-cost.ts";
import { inFlight } from "../measure/in-flight.ts";
import { median, percentile } from "../measure/stats.ts";
import { timed } from "../measure/timed.ts";
import type { StartedRun, WorkflowClient } from "../systems/system.ts";
import { scaled, type Scenario, type WorkflowBench } from "./scenario.ts";

const STEPS = 5;
const RUNS = 2_000;
const STARTS_IN_FLIGHT = 50;
const SLEEP_MS = 2_000;
/** Code and plans are warm after this many runs, or this much time: slow systems aren't warmed for minutes. */
const WARM_UP = { runs: 2_000, ms: 5_000, batch: 100 };
/** Limit of a series of latencies; systems that poll once a second get fewer samples. */
const LONGEST_SERIES_MS = 20_000;

export const workflowScenarios: readonly Scenario[] = [
  {
    id: "throughput",
    kind: "workflows",
    rows: [
      {
        id: "throughput",
        name: "2,000 runs × 5 steps, first start to last end: steps/s",
        unit: "/s",
      },
      { id: "wal", name: "WAL a step, starts and ends included", unit: "bytes" },
      { id: "commits", name: "commits a step", unit: "" },
    ],
    measure: async ({ client, database, startWorker, scale }) => {
      const worker = await startWorker();
      await warmUp(client, scale);
      let milliseconds = 0;
      const runs = scaled(RUNS, scale);
      const cost = await databaseCost(database, async () => {
        milliseconds = await timed(async () => client.allEnded(await startRuns(client, runs)));
      });
      await worker.end();
      const steps = runs * STEPS;
      return [(steps / milliseconds) * 1_000, cost.walBytes / steps, cost.commits / steps];
    },
  },
  {
    id: "drain",
    kind: "workflows",
    rows: [
      {
        id: "drain",
        name: "2,000 waiting runs × 5 steps, until the last end: steps/s",
        unit: "/s",
      },
    ],
    measure: async ({ client, startWorker, scale }) => {
      const runs = scaled(RUNS, scale);
      const started = await startRuns(client, runs);
      // Its start-up isn't in the figure, though its receives during it are.
      await startWorker();
      const milliseconds = await timed(() => client.allEnded(started));
      return [((runs * STEPS) / milliseconds) * 1_000];
    },
  },
  {
    id: "one-at-a-time",
    kind: "workflows",
    rows: [
      { id: "one-at-a-time-p50", name: "one step, start() to result: p50", unit: "ms" },
      { id: "one-at-a-time-p95", name: "one step, start() to result: p95", unit: "ms" },
    ],
    measure: async ({ client, startWorker, scale }) => {
      await startWorker();
      return oneAtATime(client, scale);
    },
  },
  {
    id: "in-process",
    kind: "workflows",
    rows: [
      { id: "in-process-p50", name: "the same in the process that serves: p50", unit: "ms" },
      { id: "in-process-p95", name: "the same in the process that serves: p95", unit: "ms" },
    ],
    measure: async ({ serveHere, scale }) => oneAtATime(await serveHere(), scale),
  },
  {
    id: "sequence",
    kind: "workflows",
    rows: [{ id: "sequence", name: "100 steps in sequence: a step", unit: "ms" }],
    measure: async (bench) => [(await timeOf("in-sequence", bench)) / 100],
  },
  {
    id: "parallel",
    kind: "workflows",
    rows: [{ id: "parallel", name: "100 steps in Promise.all: all of them", unit: "ms" }],
    measure: async (bench) => [await timeOf("in-parallel", bench)],
  },
  {
    id: "sleep",
    kind: "workflows",
    rows: [{ id: "sleep", name: "200 runs asleep for 2 s: lateness p95", unit: "ms" }],
    measure: async ({ client, startWorker, scale }) => {
      await startWorker();
      const warm = await client.start("sleeper", { ms: 100 });
      await warm.result();
      const runs = await inFlight(STARTS_IN_FLIGHT, scaled(200, scale), () =>
        client.start("sleeper", { ms: SLEEP_MS }),
      );
      const lateness = await Promise.all(runs.map((run) => run.result()));
      return [percentile(lateness.map(Number), 0.95)];
    },
  },
  {
    id: "signal",
    kind: "workflows",
    rows: [{ id: "signal", name: "signal to result of the waiting run: p50", unit: "ms" }],
    measure: async ({ client, startWorker, scale }) => {
      await startWorker();
      const count = scaled(100, scale, 10);
      const runs: StartedRun[] = [];
      for (let n = 0; n < count; n += 1)
        runs.push(await client.start("waiter", { event: `go ${n}` }));
      // Long enough for all of them to have come to wait.
      await sleep(2_000);
      const times = await series(count, async () => {
        const run = runs.pop();
        if (run === undefined) return;
        await run.signal();
        await run.result();
      });
      return [median(times)];
    },
  },
  {
    id: "starts",
    kind: "workflows",
    rows: [{ id: "starts", name: "starts/s of one client, 50 in flight", unit: "/s" }],
    measure: async ({ client, scale }) => {
      await startRuns(client, scaled(500, scale));
      const runs = scaled(RUNS, scale);
      return [(runs / (await timed(() => startRuns(client, runs)))) * 1_000];
    },
  },
];

const startRuns = (client: WorkflowClient, runs: number): Promise<StartedRun[]> =>
  inFlight(STARTS_IN_FLIGHT, runs, () => client.start("in-sequence", { steps: STEPS }));

async function warmUp(client: WorkflowClient, scale: number): Promise<void> {
  const startedAt = performance.now();
  for (let runs = 0; runs < WARM_UP.runs * scale; runs += WARM_UP.batch) {
    await client.allEnded(await startRuns(client, WARM_UP.batch));
    if (performance.now() - startedAt > WARM_UP.ms * scale) return;
  }
}

async function oneAtATime(client: WorkflowClient, scale: number): Promise<[number, number]> {
  const times = await series(scaled(200, scale, 5), async () => {
    const run = await client.start("one-step", {});
    await run.result();
  });
  return [median(times), percentile(times, 0.95)];
}

/** The first tenth warms up. */
async function series(samples: number, work: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  const until = performance.now() + LONGEST_SERIES_MS;
  while (times.length < samples && performance.now() < until) {
    times.push(await timed(work));
  }
  return times.slice(Math.floor(times.length / 10));
}

/** The time of 100 steps, measured in the body. */
async function timeOf(
  body: "in-sequence" | "in-parallel",
  { client, startWorker }: WorkflowBench,
): Promise<number> {
  await startWorker();
  const times: number[] = [];
  for (let n = 0; n < 6; n += 1) {
    const run = await client.start(body, { steps: 100 });
    times.push(Number(await run.result()));
  }
  // The first one warms up.
  return median(times.slice(1));
}
