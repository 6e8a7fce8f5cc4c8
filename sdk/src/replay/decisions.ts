/**
 * Decisions: values that a body computes only from journaled values, such as the branch that a graph takes. They are
 * journaled so that a later version of the code that computes them can't change a run in flight, and so that people see
 * what was decided (R16). Internal: for interpreters of workflows, whose bodies are data. Which step wins a race is R2 of
 * `engine.ts`.
 */
import type { Context } from "../definition/context.ts";

/** @param compute Pure and synchronous. Not called if the decision is journaled. */
export type Decide = (name: string, compute: () => unknown) => unknown;

/** Where the context of a body has the function. */
export const DECIDE = Symbol.for("oxbow.decide");

/**
 * Returns the journaled value of a decision, or computes it and journals it with the next commit. A decision is lost with
 * its worker until then, and computed again; callbacks of steps may have been called meanwhile.
 *
 * @param name Unique among the steps and decisions of the run.
 * @throws InvalidName; DuplicateStepName; NestedStep inside the callback of a step.
 */
export function decide<Value>(ctx: Context, name: string, compute: () => Value): Value {
  const { [DECIDE]: own } = ctx as { readonly [DECIDE]?: Decide };
  return own === undefined ? compute() : (own(name, compute) as Value);
}
