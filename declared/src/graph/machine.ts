/**
 * The state machine of one level of a graph: of the graph itself, or of one iteration of a loop. Pure: it is given the
 * outcomes of nodes one at a time, and answers which nodes begin and which are abandoned.
 *
 *   J1  A node succeeded by some handles: its edges on those are taken, the others skipped.
 *   J2  A node failed. With an edge on `error`, that one is taken and the others are skipped. With `onError: continue`, it
 *       is asked for its fallback, and succeeds by `out`. Otherwise all its edges failed.
 *   J3  A node was skipped or abandoned: its edges are skipped.
 *   J4  A node is decided as soon as it can be, once. `all`: an edge failed, so it fails; no edge is open and one is
 *       taken, so it runs; all are skipped, so it is skipped. `any` and `count`: enough edges are taken, so it runs;
 *       that has become impossible, so it fails if an edge failed, else it is skipped.
 *   J5  The guard of a node is asked when it begins. Its answer `false` comes as the outcome `skipped`.
 *   J6  When `any` or `count` runs, nodes all of whose paths lead into it are abandoned, unless the losers may finish.
 *       Edges that settle later change nothing.
 *   J7  A node without outgoing edges that failed, by itself or by J4, fails the run: after the effects of that outcome,
 *       or with `failFast: false` when nothing is open.
 *   J8  J2 holds for a node's own failure and for that of its join. A failure on a single edge passes through: all edges of
 *       the node failed.
 *   J9  The run completes when nothing is open, or at an `end` that terminates: everything open is then abandoned. A
 *       failure that `failFast: false` has put off is not forgotten by that.
 *
 * The effects of an outcome spread in topological order: whatever is upstream of a node settles first, as far as that
 * outcome settles it. So the order of independent nodes never matters. A run costs O(edges), and each edge settles
 * once. The machine needs no lock: it belongs to one execution of a body, which gets outcomes one at a time.
 */
import { ERROR, OUT } from "./graph.ts";
import type { Plan, PlannedNode } from "./plan.ts";

export type NodeStatus =
  | "idle"
  | "ready"
  | "running"
  | "succeeded"
  | "failed"
  | "skipped"
  | "abandoned";

export type EdgeStatus = "open" | "taken" | "skipped" | "failed";

/** The outcome of a node that had begun. */
export type NodeOutcome =
  | { readonly kind: "succeeded"; readonly handles: readonly string[] }
  | { readonly kind: "failed" }
  /** Its guard is false. */
  | { readonly kind: "skipped" };

/** `stopped`: from outside, because a loop around it failed. */
export type MachineEnd = "completed" | "failed" | "stopped";

/** A node that begins. `fallback`: it failed, and is asked for the value that counts as its output instead. */
export interface Beginning {
  readonly node: PlannedNode;
  readonly mode: "run" | "fallback";
}

/** The effects of an outcome. */
export interface Reaction {
  /** In the order of ids, so that every replay begins them alike. */
  readonly begin: readonly Beginning[];
  /** Nodes that had begun and are abandoned, in the order of places. */
  readonly abandoned: readonly PlannedNode[];
}

/** Is told of each status that changes, the first ones excepted. */
export interface MachineObserver {
  readonly nodeChanged: (node: PlannedNode, status: NodeStatus) => void;
  /** @param edge Index in the plan. */
  readonly edgeChanged: (edge: number, status: EdgeStatus) => void;
}

const NOTHING: Reaction = { begin: [], abandoned: [] };

export class Machine {
  readonly plan: Plan;
  readonly #observer: MachineObserver | undefined;
  readonly #nodes: NodeStatus[];
  readonly #edges: EdgeStatus[];
  /** Per node: edges to it that are not settled, that are taken, and that failed. */
  readonly #open: number[];
  readonly #taken: number[];
  readonly #failed: number[];
  /** Per node that failed: the place where the failure began. */
  readonly #origins: number[];
  /** Nodes that were asked for their fallback. */
  readonly #fallbacks = new Set<number>();
  /** Places to decide, ascending. */
  readonly #queue: number[] = [];
  #ready: Beginning[] = [];
  #abandoned: PlannedNode[] = [];
  #unsettled: number;
  #failure: PlannedNode | undefined;
  #end: MachineEnd | undefined;

  constructor(plan: Plan, observer?: MachineObserver) {
    this.plan = plan;
    this.#observer = observer;
    this.#nodes = plan.nodes.map(() => "idle");
    this.#edges = plan.edges.map(() => "open");
    this.#open = plan.nodes.map(({ incoming }) => incoming);
    this.#taken = plan.nodes.map(() => 0);
    this.#failed = plan.nodes.map(() => 0);
    this.#origins = plan.nodes.map(({ place }) => place);
    this.#unsettled = plan.nodes.length;
  }

  /** Undefined while something is open. Final. */
  get end(): MachineEnd | undefined {
    return this.#end;
  }

  /** The node whose failure fails the run: where it began. */
  get failedNode(): PlannedNode | undefined {
    return this.#failure && this.originOf(this.#failure);
  }

  /** Nodes that have begun and have no outcome. */
  get running(): readonly PlannedNode[] {
    return this.plan.nodes.filter(({ place }) => this.#nodes[place] === "running");
  }

  statusOf(node: PlannedNode): NodeStatus {
    return this.#nodes[node.place] ?? "idle";
  }

  /** @param edge Index in the plan. */
  statusOfEdge(edge: number): EdgeStatus {
    return this.#edges[edge] ?? "open";
  }

  /** The node where the failure of a failed node, or of its join, began. */
  originOf(node: PlannedNode): PlannedNode {
    return this.plan.nodes[this.#origins[node.place] ?? node.place] ?? node;
  }

  /** Begins nodes without incoming edges, and decides joins that need more edges than they have. Call it once, first. */
  begin(): Reaction {
    for (const { place, incoming, needs } of this.plan.nodes) {
      if (incoming === 0) this.#fire(place);
      else if (needs !== "all" && needs > incoming) this.#enqueue(place);
    }
    return this.#react();
  }

  /**
   * Takes the outcome of a node that has begun. That of an abandoned node changes nothing. After the end, it is kept as
   * the status of the node, and decides nothing.
   *
   * @throws Error if the node has not begun, or has an outcome.
   */
  take(node: PlannedNode, outcome: NodeOutcome): Reaction {
    const status = this.statusOf(node);
    if (status === "abandoned") return NOTHING;
    if (status !== "running") {
      throw new Error(
        `Node "${node.id}" is ${status}, so it can't get the outcome ${outcome.kind}.`,
      );
    }
    if (this.#end !== undefined) {
      this.#become(node, outcome.kind);
      return NOTHING;
    }
    if (outcome.kind === "succeeded") this.#succeed(node, outcome.handles);
    else if (outcome.kind === "failed") this.#fail(node, true);
    else this.#leave(node, "skipped");
    return this.#react();
  }

  /** Begins nothing more. Nodes that have begun may still get outcomes. */
  stop(): void {
    this.#end ??= "stopped";
  }

  /** After the end: a node that had begun gets no outcome any more. */
  drop(node: PlannedNode): void {
    if (this.statusOf(node) === "running") this.#become(node, "abandoned");
  }

  /** Spreads the effects of an outcome (J4), and looks whether the run is over (J7, J9). */
  #react(): Reaction {
    for (let place = this.#queue.shift(); place !== undefined; place = this.#queue.shift()) {
      this.#decide(place);
    }
    const hasFailed = this.#failure !== undefined;
    if (this.#end === undefined && (this.#unsettled === 0 || (hasFailed && this.plan.failFast))) {
      this.#end = hasFailed ? "failed" : "completed";
    }
    const begin = this.#end === undefined ? this.#ready.toSorted(byId) : [];
    for (const { node } of begin) this.#become(node, "running");
    const abandoned = this.#abandoned;
    this.#ready = [];
    this.#abandoned = [];
    return { begin, abandoned };
  }

  /** J4. */
  #decide(place: number): void {
    const node = this.plan.nodes[place];
    if (node === undefined || this.#nodes[place] !== "idle") return;
    const open = this.#open[place] ?? 0;
    const taken = this.#taken[place] ?? 0;
    const hasFailure = (this.#failed[place] ?? 0) > 0;
    if (node.needs === "all") {
      if (hasFailure) this.#fail(node, false);
      else if (open === 0 && taken > 0) this.#fire(place);
      else if (open === 0) this.#leave(node, "skipped");
    } else if (taken >= node.needs) {
      this.#fire(place);
      for (const loser of node.losers) this.#abandon(loser);
    } else if (taken + open < node.needs) {
      if (hasFailure) this.#fail(node, false);
      else this.#leave(node, "skipped");
    }
  }

  #fire(place: number): void {
    const node = this.plan.nodes[place];
    if (node !== undefined) this.#makeReady(node, "run");
  }

  #makeReady(node: PlannedNode, mode: Beginning["mode"]): void {
    this.#become(node, "ready");
    this.#ready.push({ node, mode });
  }

  /** J1, and J9 for an `end` that terminates. */
  #succeed(node: PlannedNode, handles: readonly string[]): void {
    this.#settle(node, "succeeded");
    for (const at of node.outgoing) {
      const handle = this.plan.edges[at]?.handle ?? OUT;
      this.#settleEdge(at, handles.includes(handle) ? "taken" : "skipped", node);
    }
    if (!node.terminates) return;
    for (const { place } of this.plan.nodes) this.#abandon(place);
  }

  /** J2 and J8. */
  #fail(node: PlannedNode, isOwn: boolean): void {
    const passesThrough = !isOwn && node.incoming < 2;
    const { place, outgoing } = node;
    if (isOwn) this.#origins[place] = place;
    if (node.hasErrorEdge && !passesThrough) {
      this.#settle(node, "failed");
      for (const at of outgoing) {
        const isError = this.plan.edges[at]?.handle === ERROR;
        this.#settleEdge(at, isError ? "taken" : "skipped", node);
      }
      return;
    }
    if (node.continues && !passesThrough && !this.#fallbacks.has(place)) {
      this.#fallbacks.add(place);
      this.#makeReady(node, "fallback");
      return;
    }
    this.#settle(node, "failed");
    for (const at of outgoing) this.#settleEdge(at, "failed", node);
    if (outgoing.length === 0) this.#failure ??= node;
  }

  /** J3. */
  #leave(node: PlannedNode, status: "skipped" | "abandoned"): void {
    this.#settle(node, status);
    for (const at of node.outgoing) this.#settleEdge(at, "skipped", node);
  }

  /** J6. */
  #abandon(place: number): void {
    const node = this.plan.nodes[place];
    const status = this.#nodes[place];
    if (node === undefined) return;
    if (status === "running") this.#abandoned.push(node);
    else if (status === "ready") this.#ready = this.#ready.filter((each) => each.node !== node);
    else if (status !== "idle") return;
    this.#leave(node, "abandoned");
  }

  #settle(node: PlannedNode, status: NodeStatus): void {
    this.#become(node, status);
    this.#unsettled -= 1;
  }

  #become(node: PlannedNode, status: NodeStatus): void {
    this.#nodes[node.place] = status;
    this.#observer?.nodeChanged(node, status);
  }

  #settleEdge(at: number, status: EdgeStatus, from: PlannedNode): void {
    const to = this.plan.edges[at]?.to ?? -1;
    this.#edges[at] = status;
    this.#observer?.edgeChanged(at, status);
    this.#open[to] = (this.#open[to] ?? 0) - 1;
    if (status === "taken") this.#taken[to] = (this.#taken[to] ?? 0) + 1;
    if (status === "failed") {
      this.#failed[to] = (this.#failed[to] ?? 0) + 1;
      if (this.#failed[to] === 1) this.#origins[to] = this.#origins[from.place] ?? from.place;
    }
    if (this.#nodes[to] === "idle") this.#enqueue(to);
  }

  /** Keeps the queue sorted and without repetition. Targets of a node come in ascending order, so most go to its end. */
  #enqueue(place: number): void {
    const before = this.#queue.findLastIndex((other) => other <= place);
    if (this.#queue[before] !== place) this.#queue.splice(before + 1, 0, place);
  }
}

const byId = (a: Beginning, b: Beginning): number => (a.node.id < b.node.id ? -1 : 1);
