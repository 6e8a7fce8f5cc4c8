/**
 * The graph of a run, driven by the rows of its journal.
 *
 *   P1  The effects of a row depend only on the rows up to that one. Each row is taken once, and costs what it changes.
 *   P2  Decisions are taken from the journal, where a worker writes them with its next commit. What comes behind one
 *       that isn't journaled yet waits for it, since effects depend on their order. Until then, rows show only their
 *       nodes.
 */
import type { Document, Node } from "../document/document.ts";
import { isObject } from "../document/json.ts";
import {
  Execution,
  type Frame,
  type Host,
  type Loop,
  type LoopBounds,
  type Verdict,
} from "../graph/execution.ts";
import type { EdgeStatus, MachineEnd, NodeOutcome, NodeStatus } from "../graph/machine.ts";
import type { DefinitionEdgeChange } from "../protocol/definition-progress.ts";
import { bodyAt, isItemRun, pathAt, planOf, type PlannedNode } from "../graph/plan.ts";
import {
  ABANDONED,
  type HasHandles,
  isDecision,
  journaledOutcome,
  type ProgressRow,
} from "./journaled-outcome.ts";
import { StatusLog } from "./status-log.ts";

/** Its prefix is its state: `pack.17.`; empty outside of loops. */
type At = Frame<string>;

/** Types of nodes that wait rather than call. */
const WAITS: ReadonlySet<string> = new Set(["approve", "delay", "run", "wait"]);

/** A node that has begun, or the pause of a loop. */
interface Pending {
  readonly settle: (row: ProgressRow) => void;
  /** Its bindings failed, which leaves a decision rather than an outcome. */
  readonly fail?: () => void;
  /** It is an iteration that is a run. */
  readonly isItem?: boolean;
}

export interface ProgressOptions {
  /** Whether the output of a node type names its handle, because the type has several. Default: no type has. */
  readonly hasHandles?: HasHandles;
  /**
   * Path of the iteration that the run executes, if it is an item of a loop: `pack.17`. Default: the run is no item.
   */
  readonly item?: string;
}

export class JournalFold implements Host<string> {
  readonly #document: Document;
  readonly #hasHandles: HasHandles;
  /** Ids of nodes that are steps in this run, whatever their type. */
  readonly #pinned: ReadonlySet<string>;
  readonly #execution: Execution<string>;
  readonly #frames = new Set<At>();
  readonly #nodes = new StatusLog<NodeStatus>("idle");
  readonly #edges = new StatusLog<EdgeStatus>("open");
  readonly #decisions = new Map<string, { readonly output?: unknown }>();
  readonly #pending = new Map<string, Pending>();
  /** Rows, the first ones of which are taken; the others wait for a decision before them. */
  #rows: ProgressRow[] = [];
  #taken = 0;

  constructor(
    document: Document,
    { hasHandles = () => false, item }: ProgressOptions,
    pinned: ReadonlySet<string>,
  ) {
    this.#document = document;
    this.#hasHandles = hasHandles;
    this.#pinned = pinned;
    const plan = planOf(document);
    this.#execution =
      item === undefined
        ? new Execution(plan, "", this)
        : new Execution(bodyAt(plan, item), `${item}.`, this);
    this.#frames.add(this.#execution.root);
  }

  get end(): MachineEnd | undefined {
    return this.#execution.root.machine.end;
  }

  start(): void {
    this.#execution.begin();
  }

  /** Takes the next row of the journal. */
  add(row: ProgressRow): void {
    for (const decision of row.decisions ?? []) this.#decisions.set(decision.name, decision);
    this.#rows.push(row);
    this.#execution.proceed();
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#taken += 1;
      this.#take(next);
    }
    if (this.#taken < this.#rows.length) this.#show(row);
    else [this.#rows, this.#taken] = [[], 0];
  }

  /** The changes since the last call. */
  changes(): { nodes: Record<string, NodeStatus>; edges: DefinitionEdgeChange[] } {
    return {
      nodes: Object.fromEntries(this.#nodes.changes()),
      edges: this.#edges.changes().map(([key, status]) => ({ ...placeOf(key), status })),
    };
  }

  /** Its changes begin with what differs from another fold, whose changes were read. */
  replace(other: JournalFold): void {
    this.#nodes.replace(other.#nodes);
    this.#edges.replace(other.#edges);
  }

  progress(): {
    nodes: Map<string, NodeStatus>;
    edges: Map<string, Map<number, EdgeStatus>>;
    end: MachineEnd | undefined;
  } {
    const nodes = new Map<string, NodeStatus>();
    const edges = new Map<string, Map<number, EdgeStatus>>();
    for (const { machine, state } of this.#frames) {
      const { plan } = machine;
      for (const { id } of plan.nodes) {
        const path = pathAt(state, id);
        nodes.set(path, this.#nodes.get(path));
      }
      const own = plan.edges.map(({ index }): [number, EdgeStatus] => [
        index,
        this.#edges.get(keyOf(state, index)),
      ]);
      edges.set(state, new Map(own));
    }
    return { nodes, edges, end: this.end };
  }

  // ── The graph asks ────────────────────────────────────────────────────────────────────────────────────────

  begin(frame: At, node: PlannedNode, mode: "run" | "fallback"): void {
    this.#frames.add(frame);
    const carryOut = (): boolean => this.#carryOut(frame, node, mode);
    if (!carryOut()) this.#execution.defer(carryOut);
  }

  abandon(frame: At, node: PlannedNode): void {
    this.#pending.delete(pathOf(frame, node));
  }

  finishes(frame: At, node: PlannedNode): boolean {
    const isWait = WAITS.has(node.type);
    if (isWait) this.abandon(frame, node);
    return !isWait;
  }

  stateOf({ frame, node }: Loop<string>, index: number): string {
    return `${frame.state}${node.id}.${index}.`;
  }

  judge({ loop, state }: At): Verdict | undefined {
    if (loop?.bounds.kind !== "repeat") return "succeeded";
    const answer = this.#answerOf(`${state.slice(0, -1)} until`);
    if (answer === undefined) return undefined;
    return answer.value === "last" || answer.value === "succeeded" ? answer.value : "failed";
  }

  pause(loop: Loop<string>, index: number): void {
    this.#pending.set(pauseName(loop, index), { settle: () => this.#execution.resume(loop) });
  }

  endPause(loop: Loop<string>, index: number): void {
    this.#pending.delete(pauseName(loop, index));
  }

  nodeChanged({ state }: At, { id }: PlannedNode, status: NodeStatus): void {
    this.#nodes.set(pathAt(state, id), status);
  }

  edgeChanged({ machine, state }: At, edge: number, status: EdgeStatus): void {
    const { index } = machine.plan.edges[edge] ?? {};
    if (index !== undefined) this.#edges.set(keyOf(state, index), status);
  }

  // ── Rows ──────────────────────────────────────────────────────────────────────────────────────────────────

  #next(): ProgressRow | undefined {
    return this.#execution.isHeld ? undefined : this.#rows[this.#taken];
  }

  #take(row: ProgressRow): void {
    for (const { name } of row.decisions ?? []) {
      const { fail } = this.#pending.get(name) ?? {};
      if (fail === undefined) continue;
      this.#pending.delete(name);
      fail();
    }
    if (isDecision(row)) return;
    const pending = this.#pending.get(row.name);
    this.#pending.delete(row.name);
    if (row.error?.code !== ABANDONED) pending?.settle(row);
    // An iteration that is a run doesn't outlive the graph, whose other nodes keep their states.
    else if (pending?.isItem === true) this.#nodes.set(row.name, "abandoned");
  }

  /** P2. */
  #show(row: ProgressRow): void {
    const { name, error } = row;
    if (isDecision(row) || error?.code === ABANDONED || this.#nodes.get(name) !== "running") return;
    const isFailure = error !== undefined && this.#node(idOf(name)).onError !== "continue";
    this.#nodes.set(name, isFailure ? "failed" : "succeeded");
  }

  /** Returns false if what the node does isn't known yet. */
  #carryOut(frame: At, node: PlannedNode, mode: "run" | "fallback"): boolean {
    // One that was abandoned has been decided on, to no effect.
    if (frame.machine.statusOf(node) !== "running") return true;
    const path = pathOf(frame, node);
    if (mode === "fallback") {
      this.#succeed(frame, node, ["out"]);
      return true;
    }
    if (this.#node(node.id).when !== undefined) {
      const answer = this.#answerOf(`${path} when`);
      if (answer === undefined) return false;
      if (answer.value !== true) {
        const kind = answer.value === false ? "skipped" : "failed";
        this.#execution.settle(frame, node, { kind });
        return true;
      }
    }
    if (this.#pinned.has(node.id)) this.#await(frame, node, path);
    else if (node.type === "set" || node.type === "end") this.#succeed(frame, node, ["out"]);
    else if (node.type === "branch" || node.body !== undefined) {
      const answer = this.#answerOf(path);
      if (answer === undefined) return false;
      const { value } = answer;
      if (!isObject(value)) this.#execution.settle(frame, node, { kind: "failed" });
      else if (node.body === undefined) {
        this.#succeed(frame, node, value["handles"] as readonly string[]);
      } else this.#execution.openLoop(frame, node, value as unknown as LoopBounds);
    } else this.#await(frame, node, path);
    return true;
  }

  #await(frame: At, node: PlannedNode, path: string): void {
    const settle = (outcome: NodeOutcome): void => this.#execution.settle(frame, node, outcome);
    const fail = (): void => settle({ kind: "failed" });
    this.#pending.set(path, {
      settle: (row) => {
        if (row.error !== undefined) fail();
        else {
          const { handle } = journaledOutcome(this.#node(node.id), row, this.#hasHandles);
          settle({ kind: "succeeded", handles: [handle] });
        }
      },
      ...(WAITS.has(node.type) ? { fail } : {}),
      ...(isItemRun(node.id) ? { isItem: true } : {}),
    });
  }

  #succeed(frame: At, node: PlannedNode, handles: readonly string[]): void {
    this.#execution.settle(frame, node, { kind: "succeeded", handles });
  }

  /** The answer of a decision; undefined if it isn't journaled, and without a value if it failed. */
  #answerOf(name: string): { readonly value?: unknown } | undefined {
    const decision = this.#decisions.get(name);
    if (decision === undefined) return undefined;
    const { output } = decision;
    return isObject(output) && "value" in output ? { value: output["value"] } : {};
  }

  #node(id: string): Node {
    return this.#document.nodes[id] ?? { type: "" };
  }
}

const pathOf = ({ state }: At, { id }: PlannedNode): string => pathAt(state, id);

/** The id of the node with a path. */
export const idOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

const pauseName = ({ frame, node }: Loop<string>, index: number): string =>
  `${frame.state}${node.id}.${index} pause`;

const keyOf = (prefix: string, index: number): string => `${prefix} ${index}`;

function placeOf(key: string): { prefix: string; index: number } {
  const at = key.lastIndexOf(" ");
  return { prefix: key.slice(0, at), index: Number(key.slice(at + 1)) };
}
