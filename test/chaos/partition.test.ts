/** A partition: for some seconds nothing comes through, and the connections that were there stay silent for good. */
import { workflow } from "@oxbow/sdk/runtime";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { eventually, moreThan } from "../helpers/eventually.ts";
import { FaultyNetwork } from "../helpers/faulty-network.ts";
import { only } from "../helpers/queues.ts";
import { silent } from "../helpers/silent-logger.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

/** The pace is set by the time that a step takes, which a busy machine changes little: 20 × 5 steps a second. */
const STEP_MS = 200;
const CONCURRENCY = 20;
const STEPS = 5;
const RUNS = 2_000;

const WINDOW_MS = 1_000;
const WINDOWS = 5;
const PARTITION_MS = 10_000;
/** Less than the answer timeout, by which each silent connection would be found at last. */
const SOON_MS = 20_000;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

it("work continues as fast as before after a partition that silenced every connection", async () => {
  const { database, client, serve, violations } = await setupWorkflows();
  const network = await FaultyNetwork.before(database.url);
  const steady = workflow({
    name: "steady",
    run: async (ctx) => {
      for (let n = 0; n < STEPS; n += 1) await ctx.step.run(`s${n}`, () => pause(STEP_MS));
    },
  });
  await client.startBatch(
    steady,
    Array.from({ length: RUNS }, () => ({ input: undefined })),
  );
  const worker = serve([steady], {
    url: network.url,
    logger: silent,
    concurrency: CONCURRENCY,
    lease: "5s",
    stopTimeout: 1,
  });

  const journaled = async (): Promise<number> =>
    only(await database.query<{ n: number }>("select count(*)::int as n from queue.workflow_step"))
      .n;
  /** Steps a second, by the database, in windows one after the other. */
  const rates: number[] = [];
  const measure = async (): Promise<number> => {
    const [steps, at] = [await journaled(), performance.now()];
    await pause(WINDOW_MS);
    rates.push(((await journaled()) - steps) / ((performance.now() - at) / 1_000));
    return median(rates.slice(-WINDOWS));
  };

  await eventually(journaled, moreThan(CONCURRENCY));
  for (let window = 0; window < WINDOWS; window += 1) await measure();
  const before = median(rates);

  network.change({ isParted: true });
  await pause(PARTITION_MS);
  network.clear();
  rates.length = 0;
  const isBack = (rate: number): boolean => rates.length >= WINDOWS && rate >= before / 2;
  await eventually(measure, isBack, { withinMs: SOON_MS });
  await worker.stop();
  expect(await violations()).toEqual([]);
});
