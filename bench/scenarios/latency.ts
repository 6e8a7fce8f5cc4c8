import { median, percentile } from "../measure/stats.ts";
import type { Environment } from "../environment.ts";
import type { Figure } from "../report.ts";
import { inParallel, inSequence, oneStep, sleeper, waiter } from "../workflows.ts";

const SLEEP_MS = 2_000;

/** One thing at a time, on an otherwise idle worker process. */
export async function latency(
  { client, startWorker }: Environment,
  samples: number,
): Promise<Figure[]> {
  const endWorker = await startWorker();
  const startToResult = await timed(samples, async () => {
    const run = await client.start(oneStep, undefined);
    await run.result();
  });
  const sequence = await timed(5, async () => {
    const run = await client.start(inSequence, { steps: 100 });
    await run.result();
  });
  const parallel = await timed(5, async () => {
    const run = await client.start(inParallel, { steps: 100 });
    await run.result();
  });
  const signals = await timedSignals(client, samples / 2);
  const lateness = await timedSleeps(client, samples);
  await endWorker();
  return [
    { name: "start() to result, one step, p50", value: median(startToResult), unit: "ms" },
    {
      name: "start() to result, one step, p95",
      value: percentile(startToResult, 0.95),
      unit: "ms",
    },
    { name: "run of 100 steps in sequence, a step", value: median(sequence) / 100, unit: "ms" },
    { name: "100 steps in Promise.all, all of them", value: median(parallel), unit: "ms" },
    { name: "signal to result of the waiting run, p50", value: median(signals), unit: "ms" },
    { name: `${samples} runs asleep for 2 s, lateness p50`, value: median(lateness), unit: "ms" },
    {
      name: `${samples} runs asleep for 2 s, lateness p95`,
      value: percentile(lateness, 0.95),
      unit: "ms",
    },
  ];
}

/** The first three warm up. */
async function timed(samples: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let n = -3; n < samples; n += 1) {
    const startedAt = performance.now();
    await work();
    if (n >= 0) times.push(performance.now() - startedAt);
  }
  return times;
}

async function timedSignals(client: Environment["client"], samples: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < samples; n += 1) {
    const run = await client.start(waiter, undefined);
    const isWaiting = async () =>
      (await client.runs.get(waiter.name, run.runId)).activity === "waiting";
    while (!(await isWaiting()));
    const startedAt = performance.now();
    await client.signal(run.runId, "go", {});
    await run.result();
    times.push(performance.now() - startedAt);
  }
  return times;
}

async function timedSleeps(client: Environment["client"], samples: number): Promise<number[]> {
  const runs = await Promise.all(
    Array.from({ length: samples }, () => client.start(sleeper, { ms: SLEEP_MS })),
  );
  return Promise.all(
    runs.map(async (run) => {
      const wokeAt = await run.result();
      const [sleep] = await client.runs.steps(run.runId);
      const { until } = (sleep?.output ?? {}) as { until?: string };
      return wokeAt - Date.parse(until ?? "");
    }),
  );
}
