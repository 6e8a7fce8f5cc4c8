/**
 * Which nodes have surely run when another one begins.
 *
 * A node that lies on every way needs no search. For the others, the decisions upstream are enumerated: which handle a
 * node takes, whether its guard holds, and whether it fails where something absorbs that. In each combination the rules
 * of the machine (J1–J8) say what becomes of every node, and which of them have settled by then: a join that doesn't
 * wait for all its edges knows only what is upstream of every choice of edges that it may have waited for.
 *
 * It errs on the side of doubt: a node that is called present is never absent. Tests compare it with random runs.
 */
import { ERROR } from "../graph/graph.ts";
import type { Plan, PlannedNode } from "../graph/plan.ts";
import { BitSet } from "./bit-set.ts";
import { type Decisions, isAbsorbing, type Standing, Worlds } from "./worlds.ts";

/** Decided nodes in all combinations of one question, which bounds the time. */
const MOST_STEPS = 100_000;
/** The same for a whole level. */
const MOST_STEPS_OF_LEVEL = 1_000_000;

const SURE: Standing = { maySucceed: true, mayFail: false, mayBeAbsent: false };

/** The guarantees of one level: of the graph, or of the body of a loop. */
export class Guarantees {
  private readonly plan: Plan;
  private readonly decisions: (id: string) => Decisions;
  /** Indices of the edges that lead to each place. */
  private readonly incoming: readonly (readonly number[])[];
  /** Per place: the places with a path to it. */
  private readonly upstream: readonly BitSet[];
  /** The last place before each place that all paths pass, or -1. */
  private readonly passed: readonly number[];
  private stepsLeft = MOST_STEPS_OF_LEVEL;

  constructor(plan: Plan, decisions: (id: string) => Decisions) {
    this.plan = plan;
    this.decisions = decisions;
    const incoming = plan.nodes.map((): number[] => []);
    for (const [at, { to }] of plan.edges.entries()) incoming[to]?.push(at);
    this.incoming = incoming;
    const sources = incoming.map((edges) => edges.map((at) => plan.edges[at]?.from ?? -1));
    this.upstream = upstreamOf(sources);
    this.passed = dominatorsOf(sources);
  }

  /**
   * Returns what may have become of some nodes when one begins.
   *
   * @param target - The node that begins; undefined for the end of the level.
   */
  at(target: string | undefined, ids: readonly string[]): ReadonlyMap<string, Standing> {
    const place = target === undefined ? undefined : this.plan.places.get(target);
    const standings = new Map<string, Standing>();
    /** Nodes that need an enumeration, by the place where it begins. */
    const open = new Map<number, PlannedNode[]>();
    for (const id of ids) {
      const node = this.plan.nodes[this.plan.places.get(id) ?? -1];
      if (node === undefined) continue;
      if (place !== undefined && !this.isUpstream(node.place, place)) {
        standings.set(id, this.notUpstream(node, place));
      } else if (place !== undefined && this.isOnEveryWay(node, place)) standings.set(id, SURE);
      else {
        const start = place === undefined ? -1 : this.startOf(node.place, place);
        open.set(start, [...(open.get(start) ?? []), node]);
      }
    }
    for (const [start, nodes] of open) {
      const found = this.enumerate(start, place, (worlds) => worlds.standings(nodes));
      for (const [id, standing] of found) standings.set(id, standing);
    }
    return standings;
  }

  /** Whether a node runs in any combination; true also if there are too many to enumerate. */
  canRun(id: string): boolean {
    const place = this.plan.places.get(id);
    if (place === undefined) return true;
    const start = this.passed[place] ?? -1;
    return this.enumerate(start, place, (worlds) => worlds.canReachTarget());
  }

  /** Enumerates the decisions from a place that all paths pass, which may itself have had any outcome. */
  private enumerate<T>(start: number, target: number | undefined, ask: (worlds: Worlds) => T): T {
    const places: number[] = [];
    // In topological order, so that nothing outside of this range is between them.
    for (let place = Math.max(start, 0); place < (target ?? this.plan.nodes.length); place += 1) {
      const isBefore = target === undefined || this.isUpstream(place, target);
      const isAfter = start === -1 || place === start || this.isUpstream(start, place);
      if (isBefore && isAfter) places.push(place);
    }
    const budget = Math.min(MOST_STEPS, this.stepsLeft);
    const region = { places, start, target };
    const worlds = new Worlds(this.plan, this.decisions, this.incoming, region, budget);
    const answer = ask(worlds);
    this.stepsLeft -= worlds.steps;
    return answer;
  }

  private isUpstream(place: number, of: number): boolean {
    return this.upstream[of]?.has(place) === true;
  }

  /** The last place that all paths to the target pass before the node. Decisions before that place don't matter. */
  private startOf(place: number, target: number): number {
    let start = this.passed[target] ?? -1;
    while (start !== -1 && !this.isUpstream(start, place)) start = this.passed[start] ?? -1;
    return start;
  }

  /** Whether all paths to a place pass another one. */
  private isPassed(place: number, before: number): boolean {
    let at = this.passed[before] ?? -1;
    while (at > place) at = this.passed[at] ?? -1;
    return at === place;
  }

  private notUpstream(node: PlannedNode, place: number): Standing {
    const begins = this.plan.nodes[place]?.id ?? "";
    if (node.place === place) {
      const reason = `"${node.id}" has no output before it runs`;
      return { maySucceed: false, mayFail: false, mayBeAbsent: true, reason };
    }
    if (this.isPassed(place, node.place)) {
      const reason = `"${node.id}" runs after "${begins}"`;
      return { maySucceed: false, mayFail: false, mayBeAbsent: true, reason };
    }
    const reason = `"${begins}" doesn't wait for "${node.id}"`;
    return { maySucceed: true, mayFail: true, mayBeAbsent: true, reason };
  }

  /**
   * Whether every chain of taken edges to a place leaves a node by another handle than `error`. A chain begins at a node
   * without edges to it, or at one that continues although its join failed.
   */
  private isOnEveryWay(node: PlannedNode, place: number): boolean {
    // Otherwise a chain goes past it, and the search would find it only at its beginning.
    if (!this.isPassed(node.place, place)) return false;
    const seen = new Set([place]);
    const waiting = [place];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const current = this.plan.nodes[at];
      if (current !== undefined && current.place !== place && isAbsorbing(current)) return false;
      const edges = this.incoming[at] ?? [];
      if (edges.length === 0) return false;
      for (const index of edges) {
        const edge = this.plan.edges[index];
        if (edge === undefined || (edge.from === node.place && edge.handle !== ERROR)) continue;
        if (!seen.has(edge.from)) {
          seen.add(edge.from);
          waiting.push(edge.from);
        }
      }
    }
    return true;
  }
}

function upstreamOf(sources: readonly (readonly number[])[]): readonly BitSet[] {
  const upstream: BitSet[] = [];
  for (const from of sources) {
    const own = new BitSet(sources.length);
    for (const at of from) {
      own.add(at);
      const further = upstream[at];
      if (further !== undefined) own.addAll(further);
    }
    upstream.push(own);
  }
  return upstream;
}

/** The immediate dominators, in one pass since places are in topological order. */
function dominatorsOf(sources: readonly (readonly number[])[]): readonly number[] {
  const passed: number[] = [];
  for (const from of sources) {
    let common = from[0] ?? -1;
    for (let other of from) {
      while (common !== other) {
        if (common > other) common = passed[common] ?? -1;
        else other = passed[other] ?? -1;
      }
    }
    passed.push(common);
  }
  return passed;
}
