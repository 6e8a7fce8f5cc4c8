/** The workflows of the benchmarks: their steps do nothing, so that only Oxbow is measured. */
import { workflow } from "@oxbow/sdk/runtime";
import { clock } from "./measure/clock.ts";

export const oneStep = workflow({
  name: "one-step",
  run: (ctx) => ctx.step.run("only", () => 1),
});

export const inSequence = workflow({
  name: "in-sequence",
  run: async (ctx, { steps }: { steps: number }) => {
    const began = await ctx.step.run("began", clock);
    for (let n = 0; n < steps; n += 1) await ctx.step.run(`s${n}`, () => n);
    return clock() - began;
  },
});

export const inParallel = workflow({
  name: "in-parallel",
  run: async (ctx, { steps }: { steps: number }) => {
    const began = await ctx.step.run("began", clock);
    await Promise.all(Array.from({ length: steps }, (_, n) => ctx.step.run(`s${n}`, () => n)));
    return clock() - began;
  },
});

export const sleeper = workflow({
  name: "sleeper",
  run: async (ctx, { ms }: { ms: number }) => {
    const before = await ctx.step.run("before", () => Date.now());
    await ctx.step.sleep("sleep", ms);
    return Date.now() - before - ms;
  },
});

export const waiter = workflow({
  name: "waiter",
  run: (ctx) => ctx.step.waitForEvent("go"),
});

/** As `inSequence`, with an output of so many bytes a step. */
export const withOutputs = workflow({
  name: "with-outputs",
  run: async (ctx, { steps, bytes }: { steps: number; bytes: number }) => {
    for (let n = 0; n < steps; n += 1) await ctx.step.run(`s${n}`, () => "x".repeat(bytes));
    return steps;
  },
});

/** Steps, then a sleep, then the time at which the body resumes: the cost of a resume with a long journal. */
export const longSleeper = workflow({
  name: "long-sleeper",
  run: async (ctx, { steps, ms }: { steps: number; ms: number }) => {
    await ctx.step.map("items", Array.from({ length: steps }), (_, index) => index, {
      concurrency: 500,
    });
    await ctx.step.sleep("sleep", ms);
    return Date.now();
  },
});

export const workflows = [
  oneStep,
  inSequence,
  inParallel,
  sleeper,
  waiter,
  withOutputs,
  longSleeper,
];
