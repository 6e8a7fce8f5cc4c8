import type { Json, JsonObject } from "../document/json.ts";
import type { FailedIteration, Variables } from "../nodes/behaviour.ts";
import type { NodeFailure } from "../nodes/failure.ts";

/** The result of a node that ran, as bindings read it. */
export type NodeState = { readonly output: Json } | { readonly error: NodeFailure };

/** A loop under way. */
export interface LoopState {
  readonly items: readonly Json[] | undefined;
  readonly results: Json[];
  readonly failures: FailedIteration[];
  /** The error of the iteration that failed last. */
  lastFailure: NodeFailure | undefined;
  /** Nodes around the loop that had run when it began. */
  readonly outer: Readonly<Record<string, NodeState>>;
  /** Values from outside, if each item is a run. */
  readonly values: JsonObject | undefined;
}

/** The values of one level: of the graph, or of an iteration. */
export interface FrameState {
  /** Prefix of paths: "" or `pack.17.`. */
  readonly prefix: string;
  /** The variables of bindings and guards; `nodes` grows. */
  readonly variables: Readonly<Record<string, unknown>> & {
    readonly nodes: Record<string, NodeState>;
  };
  /** Outputs of the `end` nodes that were reached. */
  readonly ends: Map<string, Json>;
  /** States of loops under way, by their ids. */
  readonly loops: Map<string, LoopState>;
  /** Why the iteration failed, if not by a node. */
  failure: NodeFailure | undefined;
}

/** Makes the state of a level in which nothing has happened. */
export function frameState(
  prefix: string,
  variables: Variables,
  nodes: Readonly<Record<string, NodeState>>,
): FrameState {
  return {
    prefix,
    variables: { ...variables, nodes: { ...nodes } },
    ends: new Map(),
    loops: new Map(),
    failure: undefined,
  };
}

/** Makes the state of an iteration that begins. */
export function iterationState(
  { variables, prefix }: FrameState,
  loop: string,
  { items, outer }: LoopState,
  index: number,
): FrameState {
  const item = items === undefined ? {} : { item: items[index] ?? null };
  const loops = { ...(variables["loops"] as object), [loop]: { ...item, index } };
  return frameState(`${prefix}${loop}.${index}.`, { ...variables, ...item, index, loops }, outer);
}

/** The output of a level (J9): that of its `end`; of several, by id; null if no end was reached. */
export function outputOf({ ends }: FrameState): Json {
  const [first, ...others] = [...ends].toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (first === undefined) return null;
  return others.length === 0 ? first[1] : Object.fromEntries([first, ...others]);
}
