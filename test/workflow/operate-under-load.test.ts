import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const RUNS = 300;
const STEPS = 4;
const OPERATED_MS = 3_000;

it("runs that are paused, resumed, cancelled and retried all the time lose no step and all end", async () => {
  const bench = await setupWorkflows();
  const { client } = bench;
  const calls = new Map<string, number>();
  let failuresLeft = 60;
  const work = (runId: string, step: number): void => {
    if (step === 2 && failuresLeft > 0) {
      failuresLeft -= 1;
      throw new Error("flaky");
    }
    const key = `${runId} ${step}`;
    calls.set(key, (calls.get(key) ?? 0) + 1);
  };
  const busy = workflow({
    name: "busy",
    retry: { attempts: 1 },
    run: async (ctx) => {
      for (let n = 0; n < STEPS; n += 1) {
        await ctx.step.run(`step-${n}`, () => work(ctx.runId, n));
        await ctx.step.sleep(`nap-${n}`, 20);
      }
    },
  });
  const troubles: unknown[] = [];
  for (let n = 0; n < 2; n += 1) {
    const worker = bench.serve([busy]);
    worker.events.on("trouble", (trouble) => void troubles.push(trouble));
  }
  await client.startBatch(
    busy,
    Array.from({ length: RUNS }, () => ({ input: undefined })),
  );

  const filter = { workflow: busy };
  const operate = async (): Promise<void> => {
    const until = performance.now() + OPERATED_MS;
    while (performance.now() < until) {
      await client.runs.pauseAll(filter, { batchSize: 50 });
      await client.runs.cancelAll({ ...filter, paused: true }, { batchSize: 20 });
      await client.runs.resumeAll(filter, { batchSize: 50 });
      await client.runs.retryAll({ ...filter, status: ["failed", "cancelled"] }, { batchSize: 50 });
    }
  };
  await Promise.all([operate(), operate()]);

  await client.runs.resumeAll(filter);
  await eventually(async () => {
    await client.runs.retryAll({ ...filter, status: ["failed", "cancelled"] });
    return client.runs.count({ ...filter, status: "completed" });
  }, RUNS);
  expect(calls.size).toBe(RUNS * STEPS);
  expect(await bench.violations()).toEqual([]);
  expect(troubles).toEqual([]);
});
