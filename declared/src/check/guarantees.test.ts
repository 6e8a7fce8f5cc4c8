/** Guarantees of the checker, compared with random runs of the machine over random graphs. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";
import { Machine, type NodeOutcome, type Reaction } from "../graph/machine.ts";
import { type PlannedNode, planOf } from "../graph/plan.ts";
import { type Decisions, Guarantees, MOST_COMBINATIONS, type Standing } from "./guarantees.ts";

interface Example {
  readonly graph: Graph;
  readonly decisions: ReadonlyMap<string, Decisions>;
}

const ids = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `n${String(at).padStart(2, "0")}`);

const node = fc.record({
  kind: fc.constantFrom("task", "task", "task", "choice", "several", "end"),
  join: fc.constantFrom("all", "all", "all", "any", 2, 3),
  losers: fc.constantFrom("abandon", "finish"),
  continues: fc.integer({ min: 0, max: 5 }).map((each) => each === 0),
  hasGuard: fc.integer({ min: 0, max: 4 }).map((each) => each === 0),
  terminates: fc.integer({ min: 0, max: 9 }).map((each) => each === 0),
});

const example: fc.Arbitrary<Example> = fc
  .integer({ min: 2, max: 9 })
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
  .map(([nodes, drawn]) => {
    const names = ids(nodes.length);
    const edges = new Map<string, GraphEdge>();
    for (const [a, b, way] of drawn) {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const source = nodes[from];
      if (from === to || source === undefined || source.kind === "end") continue;
      const isChoice = source.kind === "choice" || source.kind === "several";
      const handle = way === "error" ? "error" : isChoice ? way : "out";
      const edge = { from: names[from] ?? "", on: handle, to: names[to] ?? "" };
      edges.set(JSON.stringify(edge), edge);
    }
    const all = [...edges.values()];
    const graph: Graph = {
      nodes: Object.fromEntries(
        nodes.map(({ kind, join, losers, continues, terminates }, at): [string, GraphNode] => {
          const id = names[at] ?? "";
          const incoming = all.filter(({ to }) => to === id).length;
          return [
            id,
            {
              type: `${kind}@1`,
              join:
                typeof join === "number" ? { count: Math.min(join, Math.max(1, incoming)) } : join,
              losers,
              onError: continues ? "continue" : "fail",
              params: kind === "end" ? { terminate: terminates } : {},
            } as GraphNode,
          ];
        }),
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

/** A run: picks the next node and its outcome by a list of numbers. */
function run(
  { graph, decisions }: Example,
  picks: readonly number[],
  onBegin: (begun: PlannedNode | undefined, machine: Machine) => void,
): void {
  const machine = new Machine(planOf(graph));
  const open: { readonly node: PlannedNode; readonly isFallback: boolean }[] = [];
  let at = 0;
  const pick = (count: number): number => {
    const given = picks[at % picks.length] ?? 0;
    at += 1;
    return given % count;
  };
  const apply = ({ begin, abandoned }: Reaction): void => {
    for (const each of abandoned) {
      const index = open.findIndex(({ node: other }) => other === each);
      if (index !== -1) open.splice(index, 1);
    }
    for (const { node: begun, mode } of begin) {
      if (mode === "run") onBegin(begun, machine);
      open.push({ node: begun, isFallback: mode === "fallback" });
    }
  };
  apply(machine.begin());
  while (machine.end === undefined && open.length > 0) {
    const [next] = open.splice(pick(open.length), 1);
    if (next === undefined) break;
    const outcome: NodeOutcome = next.isFallback
      ? { kind: "succeeded", handles: ["out"] }
      : outcomeOf(decisions.get(next.node.id) ?? NONE, pick);
    apply(machine.take(next.node, outcome));
  }
  if (machine.end === "completed") onBegin(undefined, machine);
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
    const compared = { runs: 0, guarantees: 0, sure: 0 };
    const picks = fc.array(fc.nat(1000), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(
        example,
        fc.array(picks, { minLength: RUNS_A_GRAPH, maxLength: RUNS_A_GRAPH }),
        (given, runs) => {
          const names = Object.keys(given.graph.nodes);
          const guarantees = new Guarantees(
            planOf(given.graph),
            (id) => given.decisions.get(id) ?? NONE,
          );
          const standings = new Map(
            [...names, undefined].map((target) => [target, guarantees.at(target, names)]),
          );
          for (const each of runs) {
            compared.runs += 1;
            run(given, each, (begun, machine) => {
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
    if (process.env["OXBOW_SOUNDNESS_RUNS"] !== undefined) {
      const [runs, all, sure] = Object.values(compared).map((count) => count.toLocaleString("en"));
      process.stdout.write(
        `${runs} runs: ${all} statuses compared, ${sure} of them called present.\n`,
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
