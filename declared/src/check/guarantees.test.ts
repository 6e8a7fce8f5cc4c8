/** Guarantees of the checker, compared with random executions of random graphs, loops included. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Execution, type Frame, type Host, type LoopBounds } from "../graph/execution.ts";
import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";
import type { NodeOutcome } from "../graph/machine.ts";
import { type Plan, type PlannedNode, planOf } from "../graph/plan.ts";
import { Guarantees } from "./guarantees.ts";
import { type Decisions, MOST_COMBINATIONS, type Standing } from "./worlds.ts";

interface Example {
  readonly graph: Graph;
  readonly decisions: ReadonlyMap<string, Decisions>;
}

const ids = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `n${String(at).padStart(2, "0")}`);

const node = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constant("task") },
    { weight: 5, arbitrary: fc.constantFrom("choice", "several", "end", "for_each", "repeat") },
  ),
  /** A loop among the nodes before it, if it is one. */
  parent: fc.nat(12),
  join: fc.constantFrom("all", "all", "all", "any", 2, 3),
  losers: fc.constantFrom("abandon", "finish"),
  continues: fc.integer({ min: 0, max: 5 }).map((each) => each === 0),
  hasGuard: fc.integer({ min: 0, max: 4 }).map((each) => each === 0),
  terminates: fc.integer({ min: 0, max: 9 }).map((each) => each === 0),
});

const isLoop = (kind: string | undefined): boolean => kind === "for_each" || kind === "repeat";

/** Loops in loops have at most two levels; a loop without nodes is a task. */
function levelsOf<Drawn extends { readonly kind: string; readonly parent: number }>(
  nodes: readonly Drawn[],
): (Drawn & { readonly loop: number | undefined })[] {
  const depths: number[] = [];
  const placed = nodes.map((each, at) => {
    const { parent } = each;
    const depth = (depths[parent] ?? 0) + 1;
    const isInside = parent < at && isLoop(nodes[parent]?.kind) && depth <= 2;
    depths.push(isInside ? depth : 0);
    return { ...each, loop: isInside ? parent : undefined };
  });
  return placed.map((each, at) =>
    isLoop(each.kind) && placed.every(({ loop }) => loop !== at) ? { ...each, kind: "task" } : each,
  );
}

const example: fc.Arbitrary<Example> = fc
  .integer({ min: 2, max: 12 })
  .chain((count) =>
    fc.tuple(
      fc.array(node, { minLength: count, maxLength: count }),
      fc.array(
        fc.tuple(
          fc.nat(count - 1),
          fc.nat(count - 1),
          fc.constantFrom("first", "first", "second", "error"),
        ),
        { minLength: 1, maxLength: 2 * count },
      ),
    ),
  )
  .map(([given, drawn]) => {
    const nodes = levelsOf(given);
    const names = ids(nodes.length);
    const edges = new Map<string, GraphEdge>();
    for (const [a, b, way] of drawn) {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const source = nodes[from];
      if (from === to || source === undefined || source.kind === "end") continue;
      if (source.loop !== nodes[to]?.loop) continue;
      const isChoice = source.kind === "choice" || source.kind === "several";
      const handle = way === "error" ? "error" : isChoice ? way : "out";
      const edge = { from: names[from] ?? "", on: handle, to: names[to] ?? "" };
      edges.set(JSON.stringify(edge), edge);
    }
    const all = [...edges.values()];
    const graph: Graph = {
      nodes: Object.fromEntries(
        nodes.map(
          ({ kind, loop, join, losers, continues, terminates }, at): [string, GraphNode] => {
            const id = names[at] ?? "";
            const incoming = all.filter(({ to }) => to === id).length;
            return [
              id,
              {
                type: `${kind}@1`,
                ...(loop === undefined ? {} : { parent: names[loop] ?? "" }),
                join:
                  typeof join === "number"
                    ? { count: Math.min(join, Math.max(1, incoming)) }
                    : join,
                losers,
                onError: continues ? "continue" : "fail",
                params: kind === "end" ? { terminate: terminates } : {},
              } as GraphNode,
            ];
          },
        ),
      ),
      edges: all,
      settings: { failFast: false },
    };
    const decisions = new Map(
      nodes.map(({ kind, hasGuard }, at): [string, Decisions] => {
        const isChoice = kind === "choice" || kind === "several";
        const handles = isChoice ? ["first", "second", "third"] : ["out"];
        return [names[at] ?? "", { hasGuard, handles, takesSeveral: kind === "several" }];
      }),
    );
    return { graph, decisions };
  });

const NONE: Decisions = { hasGuard: false, handles: ["out"], takesSeveral: false };

/**
 * A run: picks the next node and its outcome by a list of numbers.
 * @param onBegin - Called with undefined when the level has completed.
 */
function run(
  { decisions }: Example,
  plan: Plan,
  picks: readonly number[],
  onBegin: (begun: PlannedNode | undefined, frame: Frame<null>) => void,
): void {
  const open: {
    readonly frame: Frame<null>;
    readonly node: PlannedNode;
    readonly isFallback: boolean;
  }[] = [];
  let at = 0;
  const pick = (count: number): number => {
    const given = picks[at % picks.length] ?? 0;
    at += 1;
    return given % count;
  };
  const drop = (frame: Frame<null>, other: PlannedNode): void => {
    const index = open.findIndex((each) => each.frame === frame && each.node === other);
    if (index !== -1) open.splice(index, 1);
  };
  const host: Host<null> = {
    stateOf: () => null,
    begin: (frame, begun, mode) => {
      if (mode === "run") onBegin(begun, frame);
      const kind = mode === "run" && begun.body !== undefined ? pick(10) : undefined;
      if (kind === undefined) open.push({ frame, node: begun, isFallback: mode === "fallback" });
      else if (kind === 0 && decisions.get(begun.id)?.hasGuard === true) {
        execution.settle(frame, begun, { kind: "skipped" });
      } else if (kind === 1) execution.settle(frame, begun, { kind: "failed" });
      else execution.openLoop(frame, begun, boundsOf(begun, pick));
    },
    abandon: drop,
    finishes: (frame, other) => {
      if (pick(2) === 0) return true;
      drop(frame, other);
      return false;
    },
    judge: (frame) => {
      onBegin(undefined, frame);
      const verdict = pick(5);
      if (verdict === 0) return "failed";
      return verdict > 2 && frame.loop?.bounds.kind === "repeat" ? "last" : "succeeded";
    },
    iterationFailed: () => {},
    loopEnded: () => {},
    pause: (loop) => execution.resume(loop),
    endPause: () => {},
    ended: (end) => {
      if (end === "completed") onBegin(undefined, execution.root);
    },
  };
  const execution = new Execution(plan, null, host);
  execution.begin();
  while (execution.root.machine.end === undefined && open.length > 0) {
    const [next] = open.splice(pick(open.length), 1);
    if (next === undefined) break;
    const outcome: NodeOutcome = next.isFallback
      ? { kind: "succeeded", handles: ["out"] }
      : outcomeOf(decisions.get(next.node.id) ?? NONE, pick);
    execution.settle(next.frame, next.node, outcome);
  }
}

function boundsOf({ type }: PlannedNode, pick: (count: number) => number): LoopBounds {
  return type === "repeat"
    ? { kind: "repeat", max: 1 + pick(3), pauses: pick(2) === 0 }
    : { kind: "for_each", count: pick(4), concurrency: 1 + pick(3), tolerated: pick(3) };
}

/** What is guaranteed on a level: at the beginning of a node, or at the end of the level. */
interface Level {
  readonly guarantees: Guarantees;
  readonly standings: ReadonlyMap<string | undefined, ReadonlyMap<string, Standing>>;
}

/** The levels of a graph, by their plans. */
function guaranteesOf(plan: Plan, decisions: Example["decisions"]): ReadonlyMap<Plan, Level> {
  const names = plan.nodes.map(({ id }) => id);
  const guarantees = new Guarantees(plan, (id) => decisions.get(id) ?? NONE);
  const standings = new Map(
    [...names, undefined].map((target) => [target, guarantees.at(target, names)]),
  );
  return new Map([
    [plan, { guarantees, standings }],
    ...plan.nodes.flatMap(({ body }) =>
      body === undefined ? [] : [...guaranteesOf(body, decisions)],
    ),
  ]);
}

function outcomeOf(
  { hasGuard, handles, takesSeveral }: Decisions,
  pick: (count: number) => number,
): NodeOutcome {
  const kind = pick(10);
  if (kind === 0 && hasGuard) return { kind: "skipped" };
  if (kind < 3) return { kind: "failed" };
  if (!takesSeveral)
    return { kind: "succeeded", handles: [handles[pick(handles.length)] ?? "out"] };
  return { kind: "succeeded", handles: handles.filter(() => pick(2) === 0) };
}

function unknownLevel(): never {
  throw new Error("The level is in no graph.");
}

/** How a run contradicts a guarantee; undefined if it doesn't. */
function contradiction(standing: Standing, status: string): string | undefined {
  if (status === "succeeded") {
    return standing.maySucceed ? undefined : "succeeded, which was ruled out";
  }
  if (status === "failed") return standing.mayFail ? undefined : "failed, which was ruled out";
  return standing.mayBeAbsent ? undefined : `is ${status}, although its end was guaranteed`;
}

/** Runs of the machine; `make test-soundness` asks for 100,000. */
const RUNS = Number(process.env["OXBOW_SOUNDNESS_RUNS"] ?? 1_200);
const RUNS_A_GRAPH = 20;
const TIMEOUT_MS = 60_000 + 20 * RUNS;
const seed = Number(process.env["SEED"] ?? Math.trunc(Math.random() * 2 ** 31));

describe("guarantees", () => {
  it(`hold in ${RUNS} random runs of the machine, seed ${seed}`, { timeout: TIMEOUT_MS }, () => {
    const compared = { runs: 0, guarantees: 0, sure: 0, inLoops: 0 };
    const picks = fc.array(fc.nat(1000), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(
        example,
        fc.array(picks, { minLength: RUNS_A_GRAPH, maxLength: RUNS_A_GRAPH }),
        (given, runs) => {
          const plan = planOf(given.graph);
          const levels = guaranteesOf(plan, given.decisions);
          for (const each of runs) {
            compared.runs += 1;
            run(given, plan, each, (begun, { machine, loop }) => {
              const { guarantees, standings } = levels.get(machine.plan) ?? unknownLevel();
              if (loop !== undefined) compared.inLoops += 1;
              expect(begun === undefined || guarantees.canRun(begun.id)).toBe(true);
              for (const other of machine.plan.nodes) {
                if (other === begun) continue;
                const standing = standings.get(begun?.id)?.get(other.id);
                if (standing === undefined) continue;
                compared.guarantees += 1;
                if (!standing.mayBeAbsent) compared.sure += 1;
                const wrong = contradiction(standing, machine.statusOf(other));
                const where = begun === undefined ? "at the end" : `when ${begun.id} begins`;
                expect(wrong === undefined ? "" : `${other.id} ${wrong} ${where}`).toBe("");
              }
            });
          }
        },
      ),
      { numRuns: Math.ceil(RUNS / RUNS_A_GRAPH), endOnFailure: true, seed },
    );
    // A generator of graphs in which nothing is sure would prove nothing.
    expect(compared.runs).toBeGreaterThanOrEqual(RUNS);
    expect(compared.sure).toBeGreaterThan(compared.runs);
    expect(compared.inLoops).toBeGreaterThan(compared.runs / 4);
    if (process.env["OXBOW_SOUNDNESS_RUNS"] !== undefined) {
      const [runs, all, sure, inLoops] = Object.values(compared).map((count) =>
        count.toLocaleString("en"),
      );
      process.stdout.write(
        `${runs} runs: ${all} statuses compared, ${sure} of them called present, at ${inLoops} places in loops.\n`,
      );
    }
  });

  it("are exact for decisions that are made twice", () => {
    // Both branches ask the same node, so that what follows one handle is sure behind the other.
    const graph: Graph = {
      nodes: Object.fromEntries(
        ["ask", "a", "b", "join", "end"].map((id) => [id, { type: "task@1" }]),
      ),
      edges: [
        { from: "ask", on: "yes", to: "a" },
        { from: "ask", on: "yes", to: "b" },
        { from: "a", to: "join" },
        { from: "b", to: "join" },
        { from: "join", to: "end" },
      ],
    };
    const decisions = (id: string): Decisions =>
      id === "ask" ? { ...NONE, handles: ["yes", "no"] } : NONE;
    const guarantees = new Guarantees(planOf(graph), decisions);
    for (const standing of guarantees.at("end", ["ask", "a", "b", "join"]).values()) {
      expect(standing).toMatchObject({ mayBeAbsent: false, mayFail: false });
    }
  });

  it("beyond the limit of combinations fall back to what lies on every way", () => {
    const branches = Array.from({ length: 18 }, (_, at) => at);
    const nodes: Record<string, GraphNode> = { last: { type: "task@1" } };
    const edges: GraphEdge[] = [];
    for (const at of branches) {
      for (const name of ["ask", "a", "b"]) nodes[`${name}${at}`] = { type: "task@1" };
      const next = at === 17 ? "last" : `ask${at + 1}`;
      edges.push(
        { from: `ask${at}`, on: "yes", to: `a${at}` },
        { from: `ask${at}`, on: "no", to: `b${at}` },
        { from: `a${at}`, to: next },
        { from: `b${at}`, to: next },
      );
    }
    const decisions = (id: string): Decisions =>
      id.startsWith("ask") ? { ...NONE, handles: ["yes", "no"] } : NONE;
    const guarantees = new Guarantees(planOf({ nodes, edges }), decisions);
    const standings = guarantees.at("last", ["ask0", "a3"]);
    expect(standings.get("ask0")).toMatchObject({ mayBeAbsent: false });
    expect(standings.get("a3")).toMatchObject({ mayBeAbsent: true, isUnchecked: true });
    expect(2 ** branches.length).toBeGreaterThan(MOST_COMBINATIONS);
  });
});
