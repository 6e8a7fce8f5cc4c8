/** Combinations of the decisions before a place, and what becomes of the nodes in each by the rules of the machine (J1–J8). */
import { ERROR } from "../graph/graph.ts";
import type { Plan, PlannedNode } from "../graph/plan.ts";

/** Facts of a node that its plan doesn't have. */
export interface Decisions {
  readonly hasGuard: boolean;
  /** Handles of its type besides `error`. */
  readonly handles: readonly string[];
  /** Whether it takes any number of its handles. */
  readonly takesSeveral: boolean;
}

/** The possible states of a node when another one begins. */
export interface Standing {
  readonly maySucceed: boolean;
  readonly mayFail: boolean;
  /** Not run, or not yet. */
  readonly mayBeAbsent: boolean;
  /** Why it may be absent or have failed, in one combination. */
  readonly reason?: string;
  /** There were too many combinations to enumerate. */
  readonly isUnchecked?: boolean;
}

/** Combinations beyond this are not enumerated. */
export const MOST_COMBINATIONS = 4096;

/** The decision that edges make about a node. */
type Fate = "runs" | "fails" | "skipped";
type Status = "succeeded" | "failed" | "skipped";
type EdgeStatus = "taken" | "skipped" | "failed";

/** Whether a node continues after the failure of its join. */
export const isAbsorbing = (node: PlannedNode): boolean =>
  node.incoming > 1 && (node.hasErrorEdge || node.continues);

interface Tally {
  maySucceed: boolean;
  mayFail: boolean;
  mayBeAbsent: boolean;
  reason: string | undefined;
}

class TooMany extends Error {}

/** The places of an enumeration, ascending. */
export interface Region {
  readonly places: readonly number[];
  /** The first place, which may have any outcome; -1 if the enumeration begins with the level. */
  readonly start: number;
  /** The place that begins; undefined for the end of the level. */
  readonly target: number | undefined;
}

/** The combinations of decisions upstream of a place, depth first in topological order. */
export class Worlds {
  steps = 0;
  private readonly plan: Plan;
  private readonly decisions: (id: string) => Decisions;
  private readonly incoming: readonly (readonly number[])[];
  private readonly places: readonly number[];
  private readonly start: number;
  private readonly target: number | undefined;
  /** Per place: its bit. */
  private readonly bits = new Map<number, bigint>();
  private readonly budget: number;
  private readonly absorbed: ReadonlySet<number>;
  private readonly statuses = new Map<number, Status>();
  private readonly edges = new Map<number, EdgeStatus>();
  /** Per place, as a bit set: what has surely settled when the node is decided. */
  private readonly known = new Map<number, bigint>();
  /** Per place: the handles it took, for reasons. */
  private readonly handles = new Map<number, readonly string[]>();
  private readonly losers = new Set<number>();
  private count = 0;
  private isReached = false;

  constructor(
    plan: Plan,
    decisions: (id: string) => Decisions,
    incoming: readonly (readonly number[])[],
    { places, start, target }: Region,
    budget: number,
  ) {
    this.plan = plan;
    this.decisions = decisions;
    this.incoming = incoming;
    this.places = target === undefined ? places : [...places, target];
    this.start = start;
    this.target = target;
    for (const [at, place] of this.places.entries()) this.bits.set(place, 1n << BigInt(at));
    this.budget = budget;
    this.absorbed = this.placesWithAbsorbers();
    if (target === undefined) {
      for (const node of plan.nodes) for (const loser of node.losers) this.losers.add(loser);
      // An end that terminates abandons whatever is open.
      if (plan.nodes.some(({ terminates }) => terminates)) {
        for (const { place } of plan.nodes) this.losers.add(place);
      }
    }
  }

  standings(nodes: readonly PlannedNode[]): ReadonlyMap<string, Standing> {
    const tallies = new Map(
      nodes.map((node): [PlannedNode, Tally] => [
        node,
        { maySucceed: false, mayFail: false, mayBeAbsent: false, reason: undefined },
      ]),
    );
    try {
      this.explore(0, tallies);
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      const reason = `there are more than ${MOST_COMBINATIONS.toLocaleString("en")} combinations of decisions before it`;
      const unchecked = { maySucceed: true, mayFail: true, mayBeAbsent: true, reason };
      return new Map(nodes.map(({ id }) => [id, { ...unchecked, isUnchecked: true }]));
    }
    return new Map(
      [...tallies].map(([{ id }, { reason, ...may }]) => [
        id,
        reason === undefined ? may : { ...may, reason },
      ]),
    );
  }

  /** True also if there are too many combinations to enumerate. */
  canReachTarget(): boolean {
    try {
      this.explore(0, new Map());
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      return true;
    }
    return this.isReached;
  }

  /** Places from which a failure may be absorbed before the target runs. */
  private placesWithAbsorbers(): ReadonlySet<number> {
    const relevant = new Set(this.places);
    const found = new Set<number>();
    for (const place of this.places.toReversed()) {
      const isFound = (this.plan.nodes[place]?.outgoing ?? []).some((at) => {
        const to = this.plan.edges[at]?.to ?? -1;
        const next = this.plan.nodes[to];
        if (next === undefined || !relevant.has(to)) return false;
        return next.needs !== "all" || isAbsorbing(next) || found.has(to);
      });
      if (isFound) found.add(place);
    }
    return found;
  }

  private explore(at: number, tallies: ReadonlyMap<PlannedNode, Tally>): void {
    const place = this.places[at];
    const node = place === undefined ? undefined : this.plan.nodes[place];
    if (place === undefined || node === undefined) {
      this.finish(tallies);
      return;
    }
    this.steps += 1;
    if (this.steps > this.budget) throw new TooMany();
    if (place === this.start) {
      this.exploreStart(node, tallies);
      return;
    }
    const fates = this.decide(node);
    if (place === this.target) {
      if (fates.includes("runs")) this.finish(tallies);
      else this.countWorld();
      return;
    }
    for (const { status, handles } of fates.flatMap((fate) => this.outcomesOf(node, fate))) {
      this.settle(node, status, handles);
      this.explore(at + 1, tallies);
    }
  }

  /** The first node of a region: what is before it is left out, so it may run, be skipped, or fail by its join. */
  private exploreStart(node: PlannedNode, tallies: ReadonlyMap<PlannedNode, Tally>): void {
    this.known.set(node.place, 0n);
    const fates: readonly Fate[] = node.incoming === 0 ? ["runs"] : ["runs", "fails", "skipped"];
    const outcomes = fates.flatMap((fate) => this.outcomesOf(node, fate));
    const distinct = new Map(outcomes.map((outcome) => [JSON.stringify(outcome), outcome]));
    for (const { status, handles } of distinct.values()) {
      this.settle(node, status, handles);
      this.explore(1, tallies);
    }
  }

  private countWorld(): void {
    this.count += 1;
    if (this.count > MOST_COMBINATIONS) throw new TooMany();
  }

  /** J4, after all edges to the node have settled: all that may become of it, by the order in which they did. */
  private decide(node: PlannedNode): readonly Fate[] {
    const { place, needs } = node;
    const edges = this.incoming[place] ?? [];
    if (edges.length === 0) {
      this.known.set(place, 0n);
      return ["runs"];
    }
    const taken = edges.filter((edge) => this.edges.get(edge) === "taken");
    const failed = edges.filter((edge) => this.edges.get(edge) === "failed");
    if (needs === "all") {
      // A failure decides without the other edges.
      this.known.set(place, failed.length > 0 ? this.inAll(failed) : this.inAny(edges));
      if (failed.length > 0) return ["fails"];
      return [taken.length > 0 ? "runs" : "skipped"];
    }
    const runs = taken.length >= needs;
    this.known.set(place, runs ? this.inEveryChoice(taken, needs) : 0n);
    if (runs) return ["runs"];
    if (failed.length === 0) return ["skipped"];
    // Only skipped edges made it impossible, before a failure came.
    return taken.length + failed.length < needs ? ["fails", "skipped"] : ["fails"];
  }

  private upstreamOf(edge: number): bigint {
    const from = this.plan.edges[edge]?.from ?? 0;
    return (this.known.get(from) ?? 0n) | (this.bits.get(from) ?? 0n);
  }

  private inAny(edges: readonly number[]): bigint {
    return edges.reduce((all, edge) => all | this.upstreamOf(edge), 0n);
  }

  private inAll(edges: readonly number[]): bigint {
    return edges.map((edge) => this.upstreamOf(edge)).reduce((all, each) => all & each);
  }

  /** The nodes upstream of every choice of some edges: upstream of more edges than a choice leaves out. */
  private inEveryChoice(edges: readonly number[], chosen: number): bigint {
    const leftOut = edges.length - chosen;
    if (leftOut === 0) return this.inAny(edges);
    if (chosen === 1) return this.inAll(edges);
    /** At each position, what is upstream of more edges than that so far. */
    const levels: bigint[] = Array.from({ length: leftOut + 1 }, () => 0n);
    for (const edge of edges) {
      let carried = this.upstreamOf(edge);
      for (const [at, level] of levels.entries()) {
        levels[at] = level | carried;
        carried &= level;
      }
    }
    return levels.at(-1) ?? 0n;
  }

  private outcomesOf(
    node: PlannedNode,
    fate: Fate,
  ): readonly { readonly status: Status; readonly handles: readonly string[] }[] {
    if (fate === "skipped") return [{ status: "skipped", handles: [] }];
    if (fate === "fails") {
      if (node.incoming < 2) return [{ status: "failed", handles: [] }];
      return [this.failure(node)];
    }
    const { hasGuard } = this.decisions(node.id);
    const isFailureFelt = node.hasErrorEdge || this.absorbed.has(node.place);
    return [
      ...this.handleSets(node).map((handles) => ({ status: "succeeded" as const, handles })),
      ...(hasGuard ? [{ status: "skipped" as const, handles: [] }] : []),
      ...(isFailureFelt && (node.hasErrorEdge || !node.continues) ? [this.failure(node)] : []),
    ];
  }

  /** J2. */
  private failure(node: PlannedNode): {
    readonly status: Status;
    readonly handles: readonly string[];
  } {
    if (node.hasErrorEdge) return { status: "failed", handles: [ERROR] };
    return node.continues
      ? { status: "succeeded", handles: ["out"] }
      : { status: "failed", handles: [] };
  }

  /** The sets of handles that a node may take, as far as its edges distinguish them. */
  private handleSets(node: PlannedNode): readonly (readonly string[])[] {
    const { handles, takesSeveral } = this.decisions(node.id);
    const used = new Set(
      node.outgoing
        .map((at) => this.plan.edges[at]?.handle ?? "out")
        .filter((handle) => handle !== ERROR),
    );
    if (used.size === 0) return [[]];
    const drawn = [...used];
    const isComplete = handles.every((handle) => used.has(handle));
    if (takesSeveral) {
      if (2 ** drawn.length > MOST_COMBINATIONS) throw new TooMany();
      return subsetsOf(drawn);
    }
    // The fallback of a failure leaves by `out`.
    const takesNone = !isComplete || (node.continues && !used.has("out"));
    return [...drawn.map((handle) => [handle]), ...(takesNone ? [[]] : [])];
  }

  /** J1–J3. */
  private settle(node: PlannedNode, status: Status, handles: readonly string[]): void {
    this.statuses.set(node.place, status);
    this.handles.set(node.place, handles);
    const isLost = status === "failed" && handles.length === 0;
    for (const at of node.outgoing) {
      const handle = this.plan.edges[at]?.handle ?? "out";
      const isTaken = status !== "skipped" && handles.includes(handle);
      this.edges.set(at, isTaken ? "taken" : isLost ? "failed" : "skipped");
    }
  }

  /** The target runs, or the level ends: notes what has become of the nodes. */
  private finish(tallies: ReadonlyMap<PlannedNode, Tally>): void {
    this.countWorld();
    this.isReached = true;
    if (this.target === undefined && this.hasFailed()) return;
    const known = this.target === undefined ? -1n : (this.known.get(this.target) ?? 0n);
    for (const [node, tally] of tallies) {
      const status = this.statuses.get(node.place);
      const isSettled = known & (this.bits.get(node.place) ?? 0n);
      const isAbandoned = this.losers.has(node.place);
      if (status === "succeeded") tally.maySucceed = true;
      if (status === "failed") tally.mayFail = true;
      if (status === "skipped" || isSettled === 0n || isAbandoned) tally.mayBeAbsent = true;
      if (status === "failed" || status === "skipped") {
        tally.reason ??= this.reasonOf(node);
      } else if (isSettled === 0n || isAbandoned) {
        tally.reason ??= `"${node.id}" may not have ended yet, since a join doesn't wait for it`;
      }
    }
  }

  /** J7: the level fails, so that nothing reads it. */
  private hasFailed(): boolean {
    // An end that terminates may come before the failure.
    if (this.plan.nodes.some(({ terminates }) => terminates)) return false;
    return this.plan.nodes.some(
      ({ place, outgoing }) => outgoing.length === 0 && this.statuses.get(place) === "failed",
    );
  }

  /** Why a node didn't succeed in this combination. */
  private reasonOf(node: PlannedNode): string {
    const own = `"${node.id}"`;
    if (this.statuses.get(node.place) === "failed") {
      return this.handles.get(node.place)?.length === 0 && this.failedEdgeOf(node) !== undefined
        ? `${own} doesn't run when ${this.causeOf(this.failedEdgeOf(node) ?? node, node)}`
        : `${own} has no output when it fails`;
    }
    return `${own} doesn't run when ${this.causeOf(node, node)}`;
  }

  private failedEdgeOf(node: PlannedNode): PlannedNode | undefined {
    const edge = (this.incoming[node.place] ?? []).find((at) => this.edges.get(at) === "failed");
    return edge === undefined ? undefined : this.plan.nodes[this.plan.edges[edge]?.from ?? -1];
  }

  /** The decision that a node which didn't run goes back to. */
  private causeOf(node: PlannedNode, asked: PlannedNode): string {
    const name = node === asked ? "it" : `"${node.id}"`;
    if (this.statuses.get(node.place) === "failed") {
      const before = this.failedEdgeOf(node);
      return before === undefined ? `${name} fails` : this.causeOf(before, asked);
    }
    const sources = (this.incoming[node.place] ?? []).map(
      (at) => this.plan.nodes[this.plan.edges[at]?.from ?? -1],
    );
    const decided = sources.find(
      (source) => source !== undefined && this.statuses.get(source.place) !== "skipped",
    );
    if (decided !== undefined) {
      const took = this.handles.get(decided.place) ?? [];
      if (this.statuses.get(decided.place) === "failed") return `"${decided.id}" fails`;
      const other =
        took.length === 0 ? "another way" : took.map((each) => `"${each}"`).join(" and ");
      return this.edgeTaken(node)
        ? `${name === "it" ? "its guard" : `the guard of ${name}`} is false`
        : `"${decided.id}" takes ${other}`;
    }
    const [skipped] = sources;
    return skipped === undefined
      ? `${name === "it" ? "its guard" : `the guard of ${name}`} is false`
      : this.causeOf(skipped, asked);
  }

  private edgeTaken(node: PlannedNode): boolean {
    return (this.incoming[node.place] ?? []).some((at) => this.edges.get(at) === "taken");
  }
}

function subsetsOf(handles: readonly string[]): readonly (readonly string[])[] {
  let sets: readonly (readonly string[])[] = [[]];
  for (const handle of handles) sets = sets.flatMap((set) => [set, [...set, handle]]);
  return sets;
}
