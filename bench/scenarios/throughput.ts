import { databaseCost } from "../measure/database-cost.ts";
import type { Environment } from "../environment.ts";
import type { Figure } from "../report.ts";
import { inSequence } from "../workflows.ts";

const STEPS = 5;

/** Many short runs on one worker process: from the first start, and from a full queue. */
export async function throughput(environment: Environment, runs: number): Promise<Figure[]> {
  const { client, database, startWorker } = environment;
  const startAll = () =>
    Promise.all(Array.from({ length: runs }, () => client.start(inSequence, { steps: STEPS })));

  const endWorker = await startWorker();
  // Once over, so that code and plans are warm.
  await startAll();
  await allEnded(environment);
  let wholeMs = 0;
  const cost = await databaseCost(database, async () => {
    const startedAt = performance.now();
    await startAll();
    await allEnded(environment);
    wholeMs = performance.now() - startedAt;
  });
  await endWorker();

  const queuedAt = performance.now();
  await startAll();
  const queueingMs = performance.now() - queuedAt;
  const startsAt = performance.now();
  const endDrainer = await startWorker();
  const servedAt = performance.now();
  await allEnded(environment);
  const drainMs = performance.now() - servedAt;
  await endDrainer();

  const steps = runs * STEPS;
  return [
    {
      name: `${runs} runs × ${STEPS} steps, start to last end: runs/s`,
      value: (runs / wholeMs) * 1_000,
      unit: "/s",
    },
    {
      name: `${runs} runs × ${STEPS} steps, start to last end: steps/s`,
      value: (steps / wholeMs) * 1_000,
      unit: "/s",
    },
    { name: "drain of a full queue: steps/s", value: (steps / drainMs) * 1_000, unit: "/s" },
    { name: "start-up of the draining worker", value: servedAt - startsAt, unit: "ms" },
    { name: "starts/s, all at once", value: (runs / queueingMs) * 1_000, unit: "/s" },
    { name: "WAL a step", value: cost.walBytes / steps, unit: "bytes" },
    { name: "commits a step", value: cost.commits / steps, unit: "" },
  ];
}

async function allEnded({ database }: Environment): Promise<void> {
  for (;;) {
    const { rows } = await database.query(`select from queue."q___wf_in-sequence" limit 1`);
    if (rows.length === 0) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}
