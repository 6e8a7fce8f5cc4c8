/** Runs of a size that people ask about. */
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { isDirect } from "../helpers/transport.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

/** Through a server and over shards, each step is a commit like those before it: a tenth of them shows as much. */
const STEPS = isDirect ? 10_000 : 1_000;

it(`a run of ${STEPS} steps, one after the other, finishes, and so does one of 1,000 in parallel`, async () => {
  const bench = await setupWorkflows();
  const long = workflow({
    name: "long",
    run: async (ctx) => {
      let sum = 0;
      for (let n = 0; n < STEPS; n += 1) sum += await ctx.step.run(`s${n}`, () => n);
      return sum;
    },
  });
  const wide = workflow({
    name: "wide",
    run: async (ctx) => {
      const numbers = Array.from({ length: 1_000 }, (_, n) => ctx.step.run(`s${n}`, () => n));
      // A replay of all of it.
      await ctx.step.sleep("nap", 10);
      return (await Promise.all(numbers)).reduce((sum, n) => sum + n, 0);
    },
  });
  bench.serve([long, wide]);
  const runs = [
    await bench.client.start(long, undefined),
    await bench.client.start(wide, undefined),
  ];
  const results = await Promise.all(runs.map((run) => run.result({ timeout: "9m" })));
  expect(results).toEqual([(STEPS * (STEPS - 1)) / 2, 499_500]);
  expect(await bench.client.runs.steps(runs[0]?.runId ?? "")).toHaveLength(STEPS);
  expect(await bench.violations()).toEqual([]);
}, 600_000);

it("a run without an end hands over to the next one, once each", async () => {
  const bench = await setupWorkflows();
  const follow = workflow({
    name: "follow",
    run: async (ctx, input: { cursor: number }): Promise<number> => {
      const cursor = await ctx.step.run("page", () => input.cursor + 1);
      if (cursor < 20) await ctx.step.invoke("next", follow, { cursor }, { detach: true });
      return cursor;
    },
  });
  bench.serve([follow]);
  await bench.client.start(follow, { cursor: 0 });
  await eventually(() => bench.client.runs.count({ workflow: follow, status: "completed" }), 20);
  const cursors: unknown[] = [];
  for await (const { output } of bench.client.runs.export({ workflow: follow }))
    cursors.push(output);
  expect(cursors.toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 20 }, (_, n) => n + 1),
  );
  expect(await bench.violations()).toEqual([]);
});
