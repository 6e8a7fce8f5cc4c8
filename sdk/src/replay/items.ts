/**
 * Items of loops as child runs: each executes the body of the loop once, and is a part of the run that has the loop.
 * Internal: for interpreters of workflows, whose bodies are data.
 */
import type { Context } from "../definition/context.ts";
import type { Invocable } from "./steps/invoke.ts";

/** The items of a run. */
export interface Items {
  /** Whether the run itself is an item. Its input comes from its parent then, rather than from a client. */
  readonly isItem: boolean;
  /**
   * As `step.invoke`, for an item of a loop: a run of the same workflow in the same version.
   *
   * @param input Called unless the end of the run is journaled.
   */
  readonly run: (step: string, workflow: Invocable, input: () => unknown) => Promise<unknown>;
}

/** Where the context of a body has them. */
export const ITEMS = Symbol.for("oxbow.items");

/** Returns the items of a run. */
export function itemsOf(ctx: Context): Items {
  const { [ITEMS]: items } = ctx as { readonly [ITEMS]?: Items };
  return items ?? NONE;
}

const NONE: Items = {
  isItem: false,
  run: () => Promise.reject(new Error("This context can't run items of loops.")),
};
