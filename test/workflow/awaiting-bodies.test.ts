/** Bodies that await more than steps: schemas that validate asynchronously, and a file while the process stands still. */
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

/** Accepts anything after a time, as a schema that looks something up. */
const slowly = (takesMs: () => number) => ({
  "~standard": {
    version: 1 as const,
    vendor: "test",
    validate: (value: unknown) => delay(takesMs(), { value }),
  },
});

it("an event that came wins its race with a sleep, however long its schema validates", async () => {
  const races = workflow({
    name: "races",
    events: { verify: slowly(() => 100) },
    run: async (ctx) =>
      Promise.race([
        ctx.step.waitForEvent("verify"),
        ctx.step.sleep("late", "1s").then(() => "late"),
      ]),
  });
  bench.serve([races]);
  const run = await bench.client.start(races, undefined);
  await eventually(
    () => bench.client.runs.get("races", run.runId),
    ({ waits }) => waits.length === 2,
  );
  await bench.client.signal(run.runId, "verify", { userId: 1 });
  expect(await run.result({ timeout: "60s" })).toEqual({ userId: 1 });
});

it("a run resumes, however long the schema of its input validates", async () => {
  let takesMs = 0;
  const resumes = workflow({
    name: "resumes",
    input: slowly(() => takesMs),
    run: async (ctx) => {
      takesMs = 1_500;
      await ctx.step.run("a", () => "a");
      await ctx.step.sleep("nap", 1);
      return "resumed";
    },
  });
  const run = await bench.client.start(resumes, {});
  bench.serve([resumes]);
  expect(await run.result({ timeout: "60s" })).toBe("resumed");
});

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
      await ctx.step.waitForEvent("go");
      return text.length > 0;
    },
  });
  bench.serve([reads]);
  const run = await bench.client.start(reads, undefined);
  await eventually(
    () => bench.client.runs.get("reads", run.runId),
    ({ waits }) => waits.length === 1,
  );
  await bench.client.signal(run.runId, "go");
  expect(await run.result({ timeout: "60s" })).toBe(true);
  expect(calls).toBe(2);
});
