/** Bodies that await more than steps. */
import { readFile } from "node:fs/promises";
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

it("a body that reads a file fails no run, although the process stands still for longer than a second", async () => {
  let calls = 0;
  const stall = (): void => {
    const until = performance.now() + 1_300;
    while (performance.now() < until);
  };
  const reads = workflow({
    name: "reads",
    run: async (ctx) => {
      calls += 1;
      // As the callback of another run, which begins in the meantime.
      if (calls === 2) setImmediate(() => void setImmediate(stall));
      const text = await readFile(new URL(import.meta.url), "utf8");
      await ctx.step.run("a", () => "a");
      await ctx.step.sleep("nap", 1);
      return text.length > 0;
    },
  });
  bench.serve([reads]);
  const run = await bench.client.start(reads, undefined);
  expect(await run.result({ timeout: "60s" })).toBe(true);
  expect(calls).toBe(2);
});
