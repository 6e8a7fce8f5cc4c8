/** Failures of graphs and loops, by those of their nodes. */
import type { PlannedNode } from "../graph/plan.ts";
import type { NodeFailure } from "../nodes/failure.ts";
import type { FrameState, LoopState } from "./frame-state.ts";

/** The failure of a graph in which no node failed. */
export const UNKNOWN: NodeFailure = { code: "ERROR", message: "the graph failed" };

/** The failure of a node, in its level. */
export function errorIn({ variables }: FrameState, node: PlannedNode): NodeFailure | undefined {
  const state = variables.nodes[node.id];
  return state !== undefined && "error" in state ? state.error : undefined;
}

/** An iteration of a loop has failed. */
export function noteFailure(loop: LoopState, index: number, error: NodeFailure): void {
  loop.lastFailure = error;
  loop.results[index] = null;
  // Nearly in the order of items, as they began.
  const before = loop.failures.findLastIndex((other) => other.index < index);
  loop.failures.splice(before + 1, 0, { index, error });
}

/** The failure of a loop that would begin more iterations than a run may. */
export const exhausted = (id: string): NodeFailure => ({
  code: "TOO_MANY_ITERATIONS",
  message: `loop "${id}" can't begin another iteration, since all loops of the run have executed 500,000 nodes: set "as": "runs" in a loop over items, or move a loop into a separate workflow`,
});

/** The failure of a loop: that of an iteration, or that it came to no end. */
export function loopFailure(
  id: string,
  kind: "for_each" | "repeat",
  rounds: number,
  first: { readonly index: number; readonly error: { readonly message: string } } | undefined,
): NodeFailure {
  if (first !== undefined) {
    const message = `iteration ${first.index} of loop "${id}" failed: ${first.error.message}`;
    return { code: "ITERATION_FAILED", message };
  }
  return kind === "repeat"
    ? {
        code: "REPEAT_EXHAUSTED",
        message: `the condition of loop "${id}" didn't hold after ${rounds} rounds`,
      }
    : { code: "LOOP_STOPPED", message: `loop "${id}" was stopped` };
}
