/**
 * The iterations of a run's loops. A path such as `pack.17.reserve` is the step `reserve` in iteration 17 of the loop
 * `pack`; a loop in a loop has the path `pack.17.each`.
 */
import type { Document } from "@oxbow/declared/check";
import type { NodeState } from "../data/editor-data.ts";

/** The iterations that are looked at, by the id of the loop. Of other loops, all are. */
export type ChosenIterations = ReadonlyMap<string, number>;

export const ALL_ITERATIONS: ChosenIterations = new Map();

/** The id of the node with a path. */
export const idOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

/** Whether a path, or the prefix of one, belongs to the chosen iterations. */
export function isChosen(path: string, chosen: ChosenIterations): boolean {
  if (chosen.size === 0) return true;
  const parts = path.split(".");
  return parts.every((part, at) => {
    const index = at % 2 === 0 ? parts[at + 1] : undefined;
    const wanted = index === undefined ? undefined : chosen.get(part);
    return wanted === undefined || String(wanted) === index;
  });
}

/** The loops around a node, the innermost first. */
function loopsAround({ nodes }: Document, id: string): readonly string[] {
  const loops: string[] = [];
  for (
    let at = nodes[id]?.parent;
    at !== undefined && !loops.includes(at);
    at = nodes[at]?.parent
  ) {
    loops.push(at);
  }
  return loops;
}

/** Whether a node is inside a loop. */
export const isIn = (document: Document, id: string, loop: string): boolean =>
  loopsAround(document, id).includes(loop);

/** The path of a node in the chosen iterations; undefined if a loop around it has no iteration. */
export function pathOf(
  document: Document,
  id: string,
  chosen: ChosenIterations,
): string | undefined {
  const parts = [id];
  for (const loop of loopsAround(document, id)) {
    const index = chosen.get(loop);
    if (index === undefined) return undefined;
    parts.unshift(loop, String(index));
  }
  return parts.join(".");
}

/** The iterations of a loop that have begun. */
export interface Iterations {
  /** How many there are: indexes begin at 0. */
  readonly count: number;
  /** Indexes of those in which a step failed, in their order. */
  readonly failed: readonly number[];
  /** How many are in which state, if each is a child run. */
  readonly runs?: Readonly<Partial<Record<NodeState, number>>>;
}

/** Returns iterations by the path of the loop. */
export function iterationsOf(
  states: Readonly<Record<string, NodeState>>,
): ReadonlyMap<string, Iterations> {
  const found = new Map<
    string,
    { count: number; failed: Set<number>; runs: Partial<Record<NodeState, number>> }
  >();
  for (const [path, state] of Object.entries(states)) {
    // Each number of a path is an index, as no id begins with a digit.
    for (const { 0: part, index, 1: digits } of path.matchAll(/\.(\d+)(?:\.|$)/g)) {
      const loop = path.slice(0, index);
      const iterations = found.get(loop) ?? { count: 0, failed: new Set(), runs: {} };
      found.set(loop, iterations);
      iterations.count = Math.max(iterations.count, Number(digits) + 1);
      if (state === "failed") iterations.failed.add(Number(digits));
      // The path of the iteration itself, which is a child run.
      if (!part.endsWith(".")) iterations.runs[state] = (iterations.runs[state] ?? 0) + 1;
    }
  }
  return new Map(
    [...found].map(([loop, { count, failed, runs }]) => [
      loop,
      {
        count,
        failed: [...failed].toSorted((a, b) => a - b),
        ...(Object.keys(runs).length === 0 ? {} : { runs }),
      },
    ]),
  );
}
