/** The workflows of `make bench-push`: each once for the worker, and once for the function. */
import { type Workflow, workflow } from "@oxbow/sdk/runtime";

export type Way = "polled" | "pushed";

export const steps = (name: string, count: number): Workflow<number, number> =>
  workflow({
    name,
    run: async (ctx, start: number) => {
      let sum = start;
      for (let step = 1; step <= count; step += 1) {
        const before = sum;
        sum = await ctx.step.run(`step-${step}`, () => before + 1);
      }
      return sum;
    },
  });

export const oneStep = (way: Way): Workflow<number, number> => steps(`one-${way}`, 1);
export const fiveSteps = (way: Way): Workflow<number, number> => steps(`five-${way}`, 5);
