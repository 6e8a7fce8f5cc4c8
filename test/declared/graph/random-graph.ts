/** Random graphs with loops, random answers of their hosts, and the execution that the machine makes of both. */
import fc from "fast-check";
import {
  Execution,
  type Frame,
  type Host,
  type LoopBounds,
} from "../../../declared/src/graph/execution.ts";
import { Machine, type NodeOutcome } from "../../../declared/src/graph/machine.ts";
import { type PlannedNode, planOf } from "../../../declared/src/graph/plan.ts";

interface RandomNode {
  readonly type: string;
  readonly parent?: string;
  readonly join?: "all" | "any" | { readonly count: number };
  readonly losers?: "abandon" | "finish";
  readonly onError?: "fail" | "continue";
  readonly params?: { readonly terminate?: boolean };
}

export interface RandomGraph {
  readonly nodes: Readonly<Record<string, RandomNode>>;
  readonly edges: readonly { readonly from: string; readonly on: string; readonly to: string }[];
  readonly settings: { readonly failFast: boolean };
}

export type LogEntry =
  | { readonly kind: "begins"; readonly path: string; readonly mode: "run" | "fallback" }
  | {
      readonly kind: "outcome" | "loop ends";
      readonly path: string;
      readonly outcome: NodeOutcome;
    };

const HANDLES = ["out", "a", "b"] as const;

export const randomGraph: fc.Arbitrary<RandomGraph> = fc
  .record({
    nodes: fc.array(
      fc.record({
        type: fc.oneof(
          { weight: 10, arbitrary: fc.constant("task@1") },
          { weight: 2, arbitrary: fc.constant("for_each@1") },
          { weight: 1, arbitrary: fc.constant("repeat@1") },
          { weight: 2, arbitrary: fc.constant("end@1") },
        ),
        parent: fc.nat(20),
        join: fc.constantFrom("all", "all", "any", { count: 1 }, { count: 2 }, { count: 3 }),
        losers: fc.constantFrom("abandon", "abandon", "finish"),
        onError: fc.constantFrom("fail", "fail", "fail", "continue"),
        terminate: fc.integer({ min: 0, max: 3 }),
      }),
      { minLength: 1, maxLength: 15 },
    ),
    edges: fc.array(
      fc.record({
        from: fc.nat(14),
        to: fc.nat(14),
        on: fc.constantFrom("out", "out", "out", "a", "b", "error"),
      }),
      { maxLength: 30 },
    ),
    failFast: fc.boolean(),
  })
  .map(({ nodes: drawn, edges, failFast }) => {
    const ids = drawn.map((_, at) => `n${String(at).padStart(2, "0")}`);
    const depths: number[] = [];
    const parents: (number | undefined)[] = [];
    for (const [at, { parent }] of drawn.entries()) {
      const isLoop = parent < at && /^(for_each|repeat)@/.test(drawn[parent]?.type ?? "");
      const fits = isLoop && (depths[parent] ?? 0) < 2;
      depths.push(fits ? (depths[parent] ?? 0) + 1 : 0);
      parents.push(fits ? parent : undefined);
    }
    const nodes = drawn.map(({ type, join, losers, onError, terminate }, at): RandomNode => {
      const parent = parents[at];
      return {
        // A loop without nodes is invalid.
        type: /^(for_each|repeat)@/.test(type) && !parents.includes(at) ? "task@1" : type,
        ...(parent === undefined ? {} : { parent: ids[parent] ?? "" }),
        join: join as NonNullable<RandomNode["join"]>,
        losers: losers,
        onError: onError,
        ...(type === "end@1" && terminate === 0 ? { params: { terminate: true } } : {}),
      };
    });
    const kept = new Map<string, RandomGraph["edges"][number]>();
    for (const { from, to, on } of edges) {
      const isInside = from < to && to < nodes.length && parents[from] === parents[to];
      if (!isInside) continue;
      const edge = { from: ids[from] ?? "", on, to: ids[to] ?? "" };
      kept.set(JSON.stringify(edge), edge);
    }
    return {
      nodes: Object.fromEntries(nodes.map((node, at) => [ids[at] ?? "", node])),
      edges: [...kept.values()],
      settings: { failFast },
    };
  });

/** What the host of an execution answers: a function of only a seed and the path. */
export class Answers {
  readonly #seed: number;
  readonly #graph: RandomGraph;

  constructor(seed: number, graph: RandomGraph) {
    this.#seed = seed;
    this.#graph = graph;
  }

  outcome(path: string, mode: "run" | "fallback"): NodeOutcome {
    if (mode === "fallback" && this.#roll(path, "fallback", 5) > 0) {
      return { kind: "succeeded", handles: ["out"] };
    }
    const roll = this.#roll(path, `outcome ${mode}`, 10);
    if (roll === 0 && mode === "run") return { kind: "skipped" };
    if (roll < 3) return { kind: "failed" };
    if (roll < 8) return { kind: "succeeded", handles: ["out"] };
    const handles = HANDLES.filter((handle) => this.#roll(path, handle, 2) === 0);
    return { kind: "succeeded", handles };
  }

  isPure(path: string): boolean {
    return this.#roll(path, "pure", 3) === 0;
  }

  finishes(path: string): boolean {
    return this.#roll(path, "finishes", 2) === 0;
  }

  pauses(path: string): boolean {
    return this.#roll(path, "pauses", 2) === 0;
  }

  judge(prefix: string): "succeeded" | "failed" | "last" {
    const roll = this.#roll(prefix, "judge", 6);
    if (roll === 0) return "failed";
    const loop = prefix.replace(/\.\d+\.$/, "");
    return roll < 3 && this.#isRepeat(loop) ? "last" : "succeeded";
  }

  bounds(path: string): LoopBounds {
    if (this.#isRepeat(path)) return { kind: "repeat", max: 3, pauses: this.pauses(path) };
    return {
      kind: "for_each",
      count: this.#roll(path, "count", 4),
      concurrency: this.concurrency(path),
      tolerated: this.tolerated(path),
      ...(this.isRuns(path) ? { runs: true as const } : {}),
    };
  }

  /** Whether each item of a loop is a child run. */
  isRuns(path: string): boolean {
    return !this.#isRepeat(path) && this.#roll(path, "runs", 3) === 0;
  }

  concurrency(path: string): number {
    return this.#isRepeat(path) ? 1 : 1 + this.#roll(path, "concurrency", 3);
  }

  tolerated(path: string): number {
    return this.#isRepeat(path) ? 0 : this.#roll(path, "tolerated", 3);
  }

  /** Whether a loop that nothing failed may end after so many iterations. */
  isWhole(path: string, iterations: number): boolean {
    if (this.#isRepeat(path)) return this.judge(`${path}.${iterations - 1}.`) === "last";
    return iterations === this.#roll(path, "count", 4);
  }

  /** A number below `sides`, by FNV-1a. */
  #roll(path: string, what: string, sides: number): number {
    let hash = 0x81_1c_9d_c5 ^ this.#seed;
    for (const char of `${what}/${path}`) {
      hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01_00_01_93);
    }
    hash ^= hash >>> 15;
    return (Math.imul(hash, 0x2c_1b_3c_6d) >>> 8) % sides;
  }

  #isRepeat(path: string): boolean {
    const id = path.slice(path.lastIndexOf(".") + 1);
    return this.#graph.nodes[id]?.type === "repeat@1";
  }
}

export interface Executed {
  readonly log: readonly LogEntry[];
  readonly nodes: ReadonlyMap<string, string>;
  readonly edges: ReadonlyMap<string, string>;
  readonly ends: readonly string[];
  /** Nodes that began more than once by the same mode. */
  readonly repeated: readonly string[];
}

/** An iteration that is a child run has a node without a name in the document. */
const pathOf = (frame: Frame<string>, node: PlannedNode): string => frame.state + node.id;

/** Calls back with each outcome that a machine takes, in that order. Returns the way back. */
function observe(
  onOutcome: (machine: Machine, node: PlannedNode, outcome: NodeOutcome) => void,
): () => void {
  // oxlint-disable-next-line typescript/unbound-method
  const { take } = Machine.prototype;
  Machine.prototype.take = function observed(this: Machine, node, outcome) {
    onOutcome(this, node, outcome);
    return take.call(this, node, outcome);
  };
  return () => {
    Machine.prototype.take = take;
  };
}

/** Executes a graph; nodes that aren't pure get their outcomes in a random order. */
export function execute(graph: RandomGraph, answers: Answers, order: () => number): Executed {
  const log: LogEntry[] = [];
  const frames: Frame<string>[] = [];
  const later: (() => void)[] = [];
  const ends: string[] = [];
  const repeated: string[] = [];
  const endedLoops = new Set<string>();
  const host: Host<string> = {
    stateOf: ({ frame, node }, index) => `${frame.state}${node.id}.${index}.`,
    begin: (frame, node, mode) => {
      if (!frames.includes(frame)) frames.push(frame);
      const path = pathOf(frame, node);
      if (log.some((one) => one.kind === "begins" && one.path === path && one.mode === mode)) {
        repeated.push(path);
      }
      log.push({ kind: "begins", path, mode });
      const outcome = answers.outcome(path, mode);
      if (node.body !== undefined && mode === "run" && outcome.kind !== "skipped") {
        execution.openLoop(frame, node, answers.bounds(path));
        return;
      }
      const settle = (): void => execution.settle(frame, node, outcome);
      if (node.body !== undefined || answers.isPure(path)) settle();
      else later.push(settle);
    },
    abandon: () => {},
    finishes: (frame, node) => answers.finishes(pathOf(frame, node)),
    judge: ({ state }) => answers.judge(state),
    iterationFailed: () => {},
    loopEnded: ({ frame, node }) => void endedLoops.add(pathOf(frame, node)),
    pause: (loop) => void later.push(() => execution.resume(loop)),
    endPause: () => {},
    ended: (end) => void ends.push(end),
  };
  const execution = new Execution(planOf(graph), "", host);
  frames.push(execution.root);
  const restore = observe((machine, node, outcome) => {
    const path = `${frames.find((frame) => frame.machine === machine)?.state}${node.id}`;
    log.push({ kind: endedLoops.delete(path) ? "loop ends" : "outcome", path, outcome });
  });
  try {
    execution.begin();
    while (later.length > 0) {
      const at = Math.floor(order() * later.length);
      later.splice(at, 1)[0]?.();
    }
  } finally {
    restore();
  }
  const nodes = new Map<string, string>();
  const edges = new Map<string, string>();
  for (const { machine, state } of frames) {
    for (const node of machine.plan.nodes) nodes.set(state + node.id, machine.statusOf(node));
    for (const [at, { from, handle, to }] of machine.plan.edges.entries()) {
      const [source, target] = [machine.plan.nodes[from]?.id, machine.plan.nodes[to]?.id];
      edges.set(`${state}${source}-${handle}-${target}`, machine.statusOfEdge(at));
    }
  }
  return { log, nodes, edges, ends, repeated };
}
