/** What the benchmarks run: steps that do nothing, so that only Oxbow is measured. */
import { workflow } from "@oxbow/sdk/runtime";

export const oneStep = workflow({
  name: "one-step",
  run: (ctx) => ctx.step.run("only", () => 1),
});

export const inSequence = workflow({
  name: "in-sequence",
  run: async (ctx, { steps }: { steps: number }) => {
    for (let n = 0; n < steps; n += 1) await ctx.step.run(`s${n}`, () => n);
    return steps;
  },
});

export const inParallel = workflow({
  name: "in-parallel",
  run: async (ctx, { steps }: { steps: number }) => {
    await Promise.all(Array.from({ length: steps }, (_, n) => ctx.step.run(`s${n}`, () => n)));
    return steps;
  },
});

export const sleeper = workflow({
  name: "sleeper",
  run: async (ctx, { ms }: { ms: number }) => {
    await ctx.step.sleep("sleep", ms);
    // When the body goes on, by the machine's clock, which is the database's too.
    return Date.now();
  },
});

export const waiter = workflow({
  name: "waiter",
  run: (ctx) => ctx.step.waitForEvent("go"),
});

export const workflows = [oneStep, inSequence, inParallel, sleeper, waiter];
