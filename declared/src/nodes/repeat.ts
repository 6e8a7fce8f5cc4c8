import type { MakeBehaviour } from "./behaviour.ts";
import { InvalidParameters, Parameters } from "./parameters.ts";

/** The most iterations of a loop. */
const MAX_ROUNDS = 10_000;
const DEFAULT_ROUNDS = 100;

/**
 * `repeat@1`: executes its nodes again and again (L3 in `graph/execution.ts`), until the condition `until` holds at the end of an iteration, `max` times
 * at most, with a `pause` between. Its output is `{ rounds, result }`, the result being that of the last iteration.
 */
export const repeat: MakeBehaviour = (id, node) => {
  const parameters = new Parameters(id, node);
  const until = parameters.guard("until");
  const collect = parameters.bound("collect");
  const pause = parameters.literal("pause");
  const max = parameters.literal("max") ?? DEFAULT_ROUNDS;
  if (!Number.isInteger(max) || Number(max) < 1 || Number(max) > MAX_ROUNDS) {
    throw new InvalidParameters(
      `Loop "${id}" has the max ${JSON.stringify(max)}: give a whole number from 1 to ${MAX_ROUNDS}.`,
    );
  }
  const pauses = typeof pause === "string" || typeof pause === "number";
  return {
    kind: "loop",
    open: () => ({ bounds: { kind: "repeat", max: Number(max), pauses } }),
    judge: (variables, output) => ({
      verdict: until(variables) ? "last" : "succeeded",
      result: collect === undefined ? output : collect(variables),
    }),
    ...(pauses ? { pause } : {}),
    output: (results) => ({ rounds: results.length, result: results.at(-1) ?? null }),
  };
};
