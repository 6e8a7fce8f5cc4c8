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
import type { EdgeStatus, MachineEnd, NodeOutcome, NodeStatus } from "../graph/machine.ts";
import { planOf, type PlannedNode } from "../graph/plan.ts";
import {
  ABANDONED,
  type HasHandles,
  journaledOutcome,
  type ProgressRow,
} from "./journaled-outcome.ts";
import { testedCallIn } from "./test-plan.ts";

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

/** Changes that a row of the journal makes. */
export interface ProgressChanges {
  /** By path. */
  readonly nodes: Readonly<Record<string, NodeStatus>>;
  readonly edges: readonly EdgeChange[];
  /** Present once the graph has ended. */
  readonly end?: MachineEnd;
}

interface EdgeChange {
  /** As in `Progress.edges`. */
  readonly prefix: string;
  readonly index: number;
  readonly status: EdgeStatus;
}

/** Computes the progress of a run from the rows of its journal, in their order. */
export function progressOf(
  document: Document,
  rows: readonly ProgressRow[],
  options: ProgressOptions = {},
): Progress {
  const fold = new Fold(document, options);
  fold.know(rows);
  fold.start();
  for (const row of rows) fold.take(row);
  return fold.progress();
}

/**
 * The progress of a run whose journal grows. The changes of a row depend on the rows up to that one alone, so that a
 * reader who has seen some of them continues from there.
 */
export class ProgressFold {
  readonly #document: Document;
  readonly #options: ProgressOptions;
  /** Without values that no handle depends on. */
  readonly #rows: ProgressRow[] = [];
  readonly #nodes = new Map<string, NodeStatus>();
  readonly #edges = new Map<string, EdgeStatus>();
  #fold: Fold;
  #end: MachineEnd | undefined;

  constructor(document: Document, options: ProgressOptions = {}) {
    this.#document = document;
    this.#options = options;
    this.#fold = new Fold(document, options);
  }

  /** Begins the graph. Returns its first states, as changes. */
  begin(): ProgressChanges {
    this.#fold.start();
    return this.#changes();
  }

  /** Takes the next row of the journal. */
  add(given: ProgressRow): ProgressChanges {
    const row = this.#fold.withoutValues(given);
    this.#rows.push(row);
    // A decision that was made before the row, and is journaled with it, comes in its order only from the beginning.
    if (this.#fold.know([row])) {
      this.#fold = new Fold(this.#document, this.#options);
      this.#fold.know(this.#rows);
      this.#fold.start();
      for (const each of this.#rows) this.#fold.take(each);
    } else this.#fold.take(row);
    return this.#changes();
  }

  #changes(): ProgressChanges {
    const nodes: Record<string, NodeStatus> = {};
    const edges: EdgeChange[] = [];
    for (const { machine, state } of this.#fold.touched()) {
      const { plan } = machine;
      for (const node of plan.nodes) {
        const [path, status] = [state + node.id, machine.statusOf(node)];
        if ((this.#nodes.get(path) ?? "idle") === status) continue;
        this.#nodes.set(path, status);
        nodes[path] = status;
      }
      for (const [at, { index }] of plan.edges.entries()) {
        const [key, status] = [`${state} ${index}`, machine.statusOfEdge(at)];
        if ((this.#edges.get(key) ?? "open") === status) continue;
        this.#edges.set(key, status);
        edges.push({ prefix: state, index, status });
      }
    }
    const { end } = this.#fold;
    const hasEnded = end !== this.#end;
    this.#end = end;
    return { nodes, edges, ...(hasEnded && end !== undefined ? { end } : {}) };
  }
}

type At = Frame<string>;

/** Types of nodes that wait rather than call. */
const WAITS: ReadonlySet<string> = new Set(["approve", "delay", "run", "wait"]);

class Fold implements Host<string> {
  readonly #document: Document;
  readonly #hasHandles: HasHandles;
  readonly #decisions = new Map<string, { readonly output?: unknown }>();
  /** Decisions that were looked for, and are not journaled yet. */
  readonly #missing = new Set<string>();
  /** Paths of nodes that are steps in this run, which pins of a test make of all nodes. */
  readonly #steps = new Set<string>();
  readonly #execution: Execution<string>;
  readonly #frames = new Set<At>();
  readonly #touched = new Set<At>();
  readonly #pending = new Map<string, (row: ProgressRow) => void>();

  constructor(document: Document, { hasHandles = () => false }: ProgressOptions) {
    this.#document = document;
    this.#hasHandles = hasHandles;
    this.#execution = new Execution(planOf(document), "", this);
    this.#frames.add(this.#execution.root);
    this.#touched.add(this.#execution.root);
  }

  get end(): MachineEnd | undefined {
    return this.#execution.root.machine.end;
  }

  /** Notes the decisions of rows. Returns whether the fold has continued without one of them. */
  know(rows: readonly ProgressRow[]): boolean {
    let isLate = false;
    for (const { name, output, error, decisions = [] } of rows) {
      for (const decision of decisions) {
        this.#decisions.set(decision.name, decision);
        isLate ||= this.#missing.has(decision.name);
      }
      // Decisions may have rows as well, which are no outcomes.
      const isStep =
        testedCallIn(output) !== undefined || (error !== undefined && error.code !== ABANDONED);
      if (!isStep || this.#steps.has(name)) continue;
      this.#steps.add(name);
      isLate ||= this.#isPure(name);
    }
    return isLate;
  }

  start(): void {
    this.#execution.begin();
  }

  take(row: ProgressRow): void {
    const settle = this.#pending.get(row.name);
    this.#pending.delete(row.name);
    if (row.error?.code !== ABANDONED) settle?.(row);
  }

  /** The row with no more of its output than the handle. */
  withoutValues(row: ProgressRow): ProgressRow {
    const { name, output, error, attempts, decisions } = row;
    const tested = testedCallIn(output);
    const node = this.#document.nodes[idOf(name)];
    const kept = tested !== undefined ? { ...tested, input: null, output: null } : undefined;
    const own =
      node !== undefined && isObject(output)
        ? { handle: output["handle"], decision: output["decision"] }
        : undefined;
    return {
      name,
      attempts,
      output: kept ?? own,
      ...(error === undefined
        ? {}
        : { error: error.code === undefined ? {} : { code: error.code } }),
      ...(decisions === undefined ? {} : { decisions }),
    };
  }

  /** The levels in which anything may have changed since the last call. */
  touched(): At[] {
    const touched = [...this.#touched];
    this.#touched.clear();
    return touched;
  }

  progress(): Progress {
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
    return { nodes, edges, end: this.end };
  }

  begin(frame: At, node: PlannedNode, mode: "run" | "fallback"): void {
    this.#touched.add(frame);
    this.#frames.add(frame);
    const path = frame.state + node.id;
    if (mode === "fallback" || !this.#isHeldByGuard(frame, node, path)) {
      this.#carryOut(frame, node, path, mode);
    }
  }

  abandon(frame: At, node: PlannedNode): void {
    this.#touched.add(frame);
    this.#pending.delete(frame.state + node.id);
  }

  finishes(frame: At, node: PlannedNode): boolean {
    this.#touched.add(frame);
    const isWait = WAITS.has(node.type);
    if (isWait) this.abandon(frame, node);
    return !isWait;
  }

  stateOf({ frame, node }: Loop<string>, index: number): string {
    return `${frame.state}${node.id}.${index}.`;
  }

  judge(frame: At): "succeeded" | "failed" | "last" {
    const { loop, state } = frame;
    this.#touched.add(frame);
    if (loop?.bounds.kind !== "repeat") return "succeeded";
    const answer = this.#answerOf(`${state.slice(0, -1)} until`);
    if (answer === undefined) return "succeeded";
    return answer.value === "last" || answer.value === "succeeded" ? answer.value : "failed";
  }

  iterationFailed(frame: At): void {
    this.#touched.add(frame);
  }

  loopEnded({ frame }: Loop<string>): void {
    this.#touched.add(frame);
  }

  pause(loop: Loop<string>, index: number): void {
    const name = `${loop.frame.state}${loop.node.id}.${index} pause`;
    this.#pending.set(name, () => this.#execution.resume(loop));
  }

  endPause(loop: Loop<string>, index: number): void {
    this.#pending.delete(`${loop.frame.state}${loop.node.id}.${index} pause`);
  }

  ended(): void {}

  #isHeldByGuard(frame: At, node: PlannedNode, path: string): boolean {
    if (this.#node(node).when === undefined) return false;
    const answer = this.#answerOf(`${path} when`);
    if (answer?.value === true) return false;
    if (answer !== undefined) {
      this.#settle(frame, node, { kind: answer.value === false ? "skipped" : "failed" });
    }
    return true;
  }

  #carryOut(frame: At, node: PlannedNode, path: string, mode: "run" | "fallback"): void {
    const succeed = (handles: readonly string[]): void =>
      this.#settle(frame, node, { kind: "succeeded", handles });
    const fail = (): void => this.#settle(frame, node, { kind: "failed" });
    const isStep = this.#steps.has(path);
    if (mode === "fallback" || (!isStep && (node.type === "set" || node.type === "end"))) {
      succeed(["out"]);
      return;
    }
    if (!isStep && (node.type === "branch" || node.body !== undefined)) {
      const answer = this.#answerOf(path);
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

  #settle(frame: At, node: PlannedNode, outcome: NodeOutcome): void {
    this.#touched.add(frame);
    this.#execution.settle(frame, node, outcome);
  }

  /** The answer of a decision; undefined if it was not made, and without a value if it failed. */
  #answerOf(name: string): { readonly value?: unknown } | undefined {
    const decision = this.#decisions.get(name);
    if (decision === undefined) {
      this.#missing.add(name);
      return undefined;
    }
    const { output } = decision;
    return isObject(output) && "value" in output ? { value: output["value"] } : {};
  }

  /** Whether a node leaves no outcome in the journal, unless a test pins it. */
  #isPure(path: string): boolean {
    const { type = "" } = this.#document.nodes[idOf(path)] ?? {};
    return /^(?:set|end|branch|for_each|repeat)@/.test(type);
  }

  #node({ id }: PlannedNode): Node {
    return this.#document.nodes[id] ?? { type: "" };
  }
}

/** The id of the node with a path. */
const idOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1);
