/**
 * The progress of a run: a fold of its document and its journal by the machine that executes it. It evaluates no
 * expression, since what expressions decided is journaled, so a server without the run's node types can show it, for
 * ended runs as for those in flight.
 *
 * Gives up: a `set`, an `end` or a `collect` whose expression failed leaves no row, and is shown as succeeded.
 */
import type { Document, Node } from "../document/document.ts";
import { isObject } from "../document/json.ts";
import {
  Execution,
  type Frame,
  type Host,
  type Loop,
  type LoopBounds,
} from "../graph/execution.ts";
import type { EdgeStatus, MachineEnd, NodeStatus } from "../graph/machine.ts";
import { planOf, type PlannedNode } from "../graph/plan.ts";
import {
  ABANDONED,
  type HasHandles,
  journaledOutcome,
  type ProgressRow,
} from "./journaled-outcome.ts";
import { testedCallIn } from "./test-plan.ts";

export type { ProgressRow } from "./journaled-outcome.ts";

export interface ProgressOptions {
  /** Whether the output of a node type names its handle, because the type has several. Default: no type has. */
  readonly hasHandles?: HasHandles;
}

/** The states of a run's nodes and edges. */
export interface Progress {
  /** By path: `tell`, or `pack.17.reserve`. Iterations that have not begun are absent. */
  readonly nodes: ReadonlyMap<string, NodeStatus>;
  /** By index in the document, and the prefix of the path in a loop: `pack.17.` Outside of loops: "". */
  readonly edges: ReadonlyMap<string, ReadonlyMap<number, EdgeStatus>>;
  /** Undefined while the graph is open. */
  readonly end: MachineEnd | undefined;
}

/** Computes the progress of a run from the rows of its journal, in their order. */
export function progressOf(
  document: Document,
  rows: readonly ProgressRow[],
  options: ProgressOptions = {},
): Progress {
  return new Fold(document, rows, options).progress();
}

type At = Frame<string>;

/** Types of nodes that wait rather than call. */
const WAITS: ReadonlySet<string> = new Set(["approve", "delay", "run", "wait"]);

class Fold implements Host<string> {
  readonly #document: Document;
  readonly #rows: readonly ProgressRow[];
  readonly #decisions: ReadonlyMap<string, { readonly output?: unknown }>;
  readonly #hasHandles: HasHandles;
  /** Paths of nodes that are steps in this run, which pins of a test make of all nodes. */
  readonly #steps: ReadonlySet<string>;
  readonly #execution: Execution<string>;
  readonly #frames: At[] = [];
  readonly #pending = new Map<string, (row: ProgressRow) => void>();

  constructor(document: Document, rows: readonly ProgressRow[], options: ProgressOptions) {
    this.#document = document;
    this.#rows = rows;
    const decisions = rows.flatMap((row) => row.decisions ?? []);
    this.#decisions = new Map(decisions.map((decision) => [decision.name, decision]));
    // Decisions may have rows as well, which are no outcomes.
    const outcomes = rows.filter(
      ({ output, error }) => error !== undefined || testedCallIn(output) !== undefined,
    );
    this.#steps = new Set(outcomes.map(({ name }) => name));
    this.#hasHandles = options.hasHandles ?? (() => false);
    this.#execution = new Execution(planOf(document), "", this);
    this.#frames.push(this.#execution.root);
  }

  progress(): Progress {
    this.#execution.begin();
    for (const row of this.#rows) {
      const settle = this.#pending.get(row.name);
      this.#pending.delete(row.name);
      if (row.error?.code !== ABANDONED) settle?.(row);
    }
    const nodes = new Map<string, NodeStatus>();
    const edges = new Map<string, Map<number, EdgeStatus>>();
    for (const { machine, state } of this.#frames) {
      const { plan } = machine;
      for (const node of plan.nodes) nodes.set(state + node.id, machine.statusOf(node));
      edges.set(
        state,
        new Map(plan.edges.map(({ index }, at) => [index, machine.statusOfEdge(at)])),
      );
    }
    return { nodes, edges, end: this.#execution.root.machine.end };
  }

  begin(frame: At, node: PlannedNode, mode: "run" | "fallback"): void {
    const path = frame.state + node.id;
    if (mode === "fallback" || !this.#isHeldByGuard(frame, node, path)) {
      this.#carryOut(frame, node, path, mode);
    }
  }

  abandon(frame: At, node: PlannedNode): void {
    this.#pending.delete(frame.state + node.id);
  }

  finishes(frame: At, node: PlannedNode): boolean {
    const isWait = WAITS.has(node.type);
    if (isWait) this.abandon(frame, node);
    return !isWait;
  }

  stateOf({ frame, node }: Loop<string>, index: number): string {
    return `${frame.state}${node.id}.${index}.`;
  }

  judge({ loop, state }: At): "succeeded" | "failed" | "last" {
    if (loop?.bounds.kind !== "repeat") return "succeeded";
    const answer = answerOf(this.#decisions.get(`${state.slice(0, -1)} until`));
    if (answer === undefined) return "succeeded";
    return answer.value === "last" || answer.value === "succeeded" ? answer.value : "failed";
  }

  iterationFailed(): void {}

  loopEnded(): void {}

  pause(loop: Loop<string>, index: number): void {
    const name = `${loop.frame.state}${loop.node.id}.${index} pause`;
    this.#pending.set(name, () => this.#execution.resume(loop));
  }

  endPause(loop: Loop<string>, index: number): void {
    this.#pending.delete(`${loop.frame.state}${loop.node.id}.${index} pause`);
  }

  ended(): void {}

  #isHeldByGuard(frame: At, node: PlannedNode, path: string): boolean {
    if (!this.#frames.includes(frame)) this.#frames.push(frame);
    if (this.#node(node).when === undefined) return false;
    const answer = answerOf(this.#decisions.get(`${path} when`));
    if (answer?.value === true) return false;
    if (answer !== undefined) {
      this.#execution.settle(frame, node, { kind: answer.value === false ? "skipped" : "failed" });
    }
    return true;
  }

  #carryOut(frame: At, node: PlannedNode, path: string, mode: "run" | "fallback"): void {
    const succeed = (handles: readonly string[]): void =>
      this.#execution.settle(frame, node, { kind: "succeeded", handles });
    const fail = (): void => this.#execution.settle(frame, node, { kind: "failed" });
    const isStep = this.#steps.has(path);
    if (mode === "fallback" || (!isStep && (node.type === "set" || node.type === "end"))) {
      succeed(["out"]);
      return;
    }
    if (!isStep && (node.type === "branch" || node.body !== undefined)) {
      const answer = answerOf(this.#decisions.get(path));
      if (answer === undefined) return;
      const { value } = answer;
      if (!isObject(value)) fail();
      else if (node.body === undefined) succeed(value["handles"] as readonly string[]);
      else this.#execution.openLoop(frame, node, value as unknown as LoopBounds);
      return;
    }
    this.#pending.set(path, (row) => {
      if (row.error !== undefined) fail();
      else succeed([journaledOutcome(this.#node(node), row, this.#hasHandles).handle]);
    });
  }

  #node({ id }: PlannedNode): Node {
    return this.#document.nodes[id] ?? { type: "" };
  }
}

/** The answer of a decision; undefined if it was not made, and without a value if it failed. */
function answerOf(
  decision: { readonly output?: unknown } | undefined,
): { readonly value?: unknown } | undefined {
  if (decision === undefined) return undefined;
  const { output } = decision;
  return isObject(output) && "value" in output ? { value: output["value"] } : {};
}
