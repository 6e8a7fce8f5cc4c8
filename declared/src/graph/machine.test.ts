import { describe, expect, it } from "vitest";
import { Execution, type Host } from "./execution.ts";
import type { Graph, GraphEdge, GraphNode } from "./graph.ts";
import { Machine, type NodeOutcome } from "./machine.ts";
import { planOf } from "./plan.ts";

/** Edges as text: `a b:error` leads from handle `error` of `a` to `b`. */
function graphOf(
  edges: readonly string[],
  nodes: Readonly<Record<string, Partial<GraphNode>>> = {},
  failFast = true,
): Graph {
  const read = edges.map((edge): GraphEdge => {
    const [, from = "", to = "", on = "out"] = /^(\w+) (\w+)(?::(\w+))?$/.exec(edge) ?? [];
    return { from, on, to };
  });
  const ids = new Set([...read.flatMap(({ from, to }) => [from, to]), ...Object.keys(nodes)]);
  return {
    nodes: Object.fromEntries([...ids].map((id) => [id, { type: "task@1", ...nodes[id] }])),
    edges: read,
    settings: { failFast },
  };
}

/** Outcomes as text: `a`, `a:b`, `a!` and `a-` are success, success by the handle b, failure and a false guard. */
interface Driven {
  readonly begun: readonly string[];
  readonly abandoned: readonly string[];
  readonly status: Readonly<Record<string, string>>;
  readonly end: string | undefined;
  readonly failed: string | undefined;
}

function drive(graph: Graph, outcomes: readonly string[]): Driven {
  const machine = new Machine(planOf(graph));
  const begun = machine.begin().begin.map(({ node }) => node.id);
  const abandoned: string[] = [];
  for (const text of outcomes) {
    const [, id = "", sign = "", handle = "out"] = /^(\w+)([-!]?)(?::(\w+))?$/.exec(text) ?? [];
    const node = machine.plan.nodes[machine.plan.places.get(id) ?? -1];
    if (node === undefined) throw new Error(`There is no node ${id}.`);
    const outcome: NodeOutcome =
      sign === "!"
        ? { kind: "failed" }
        : sign === "-"
          ? { kind: "skipped" }
          : { kind: "succeeded", handles: [handle] };
    const reaction = machine.take(node, outcome);
    begun.push(...reaction.begin.map((one) => one.node.id + (one.mode === "run" ? "" : "?")));
    abandoned.push(...reaction.abandoned.map((one) => one.id));
  }
  const status = Object.fromEntries(
    machine.plan.nodes.map((node) => [node.id, machine.statusOf(node)]),
  );
  return { begun, abandoned, status, end: machine.end, failed: machine.failedNode?.id };
}

const DIAMOND = ["a b", "a c", "b d", "c d"];

describe("a join", () => {
  it("of all edges begins once, when the last is settled", () => {
    expect(drive(graphOf(DIAMOND), ["a", "c", "b"]).begun).toEqual(["a", "b", "c", "d"]);
    expect(drive(graphOf(DIAMOND), ["a", "c"])).toMatchObject({ begun: ["a", "b", "c"] });
  });

  it("of all edges ignores what was skipped, unless everything was", () => {
    expect(drive(graphOf(DIAMOND), ["a", "b-", "c"]).begun).toContain("d");
    const { status, end } = drive(graphOf(DIAMOND), ["a", "b-", "c-"]);
    expect([status, end]).toEqual([
      { a: "succeeded", b: "skipped", c: "skipped", d: "skipped" },
      "completed",
    ]);
  });

  it("of all edges fails with the first that failed, and names its node", () => {
    const graph = graphOf(DIAMOND);
    expect(drive(graph, ["a", "c!"])).toMatchObject({ end: "failed", failed: "c" });
    expect(drive(graph, ["a", "c!"]).status).toMatchObject({ b: "running", d: "failed" });
  });

  it("of any edge begins with the first, and abandons who leads nowhere else", () => {
    const graph = graphOf([...DIAMOND, "b x", "x d", "c y"], { d: { join: "any" } });
    expect(drive(graph, ["a", "c"])).toMatchObject({
      begun: ["a", "b", "c", "d", "y"],
      abandoned: ["b"],
      status: { b: "abandoned", x: "abandoned", c: "succeeded", d: "running" },
    });
  });

  it("lets losers finish where the document says so", () => {
    const graph = graphOf(DIAMOND, { d: { join: "any", losers: "finish" } });
    const { abandoned, begun, end } = drive(graph, ["a", "c", "d", "b!"]);
    expect([abandoned, begun, end]).toEqual([[], ["a", "b", "c", "d"], "completed"]);
  });

  it("of a count is skipped when too few edges are left, and fails if one failed", () => {
    const graph = graphOf(["a d", "b d", "c d"], { d: { join: { count: 2 } } });
    expect(drive(graph, ["a-", "b-"]).status).toMatchObject({ c: "running", d: "skipped" });
    expect(drive(graph, ["a!", "b-"])).toMatchObject({ end: "failed", failed: "a" });
  });
});

describe("a failure", () => {
  it("takes the error edge of its node, or of a join, but passes through a single edge", () => {
    expect(drive(graphOf(["a b", "a c:error"]), ["a!"])).toMatchObject({
      begun: ["a", "c"],
      status: { b: "skipped" },
    });
    expect(drive(graphOf(["a b", "b c:error", "b d"]), ["a!"])).toMatchObject({
      begun: ["a"],
      end: "failed",
      failed: "a",
    });
    expect(drive(graphOf([...DIAMOND, "d e:error"]), ["a", "b!"])).toMatchObject({
      begun: ["a", "b", "c", "e"],
      end: undefined,
    });
  });

  it("is replaced by the fallback of a node that continues", () => {
    const graph = graphOf(["a b"], { a: { onError: "continue" } });
    expect(drive(graph, ["a!", "a"]).begun).toEqual(["a", "a?", "b"]);
    expect(drive(graph, ["a!", "a!"])).toMatchObject({ end: "failed", failed: "a" });
  });

  it("waits for everything else without failFast", () => {
    const graph = graphOf(["b c"], { a: {} }, false);
    expect(drive(graph, ["a!", "b"])).toMatchObject({ begun: ["a", "b", "c"], end: undefined });
    expect(drive(graph, ["a!", "b", "c"])).toMatchObject({ end: "failed", failed: "a" });
  });
});

it("an end that terminates completes the run and abandons the rest", () => {
  const graph = graphOf(["a stop", "b c"], {
    stop: { type: "end@1", params: { terminate: true } },
  });
  expect(drive(graph, ["a", "stop"])).toMatchObject({
    end: "completed",
    abandoned: ["b"],
    status: { c: "abandoned" },
  });
});

it("begins nodes in the order of their ids, and ignores the outcome of an abandoned one", () => {
  const graph = graphOf(["z c", "z a", "z b", "a j", "b j", "c j"], { j: { join: "any" } });
  expect(drive(graph, ["z", "b", "a", "c!"])).toMatchObject({
    begun: ["z", "a", "b", "c", "j"],
    abandoned: ["a", "c"],
  });
});

it.each([
  ["a cycle", graphOf(["a b", "b c", "c b"]), 'cycle through "c"'],
  ["an unknown node", { nodes: {}, edges: [{ from: "a", to: "b" }] }, '"a", which doesn\'t exist'],
  [
    "an edge across the border of a loop",
    graphOf(["a b"], { l: { type: "for_each@1" }, b: { parent: "l" } }),
    "crosses the border of a loop",
  ],
])("refuses %s", (_what, graph, message) => {
  expect(() => planOf(graph)).toThrow(message);
});

/** Executes a loop over items whose nodes have no effects. */
function iterate(graph: Graph, count: number): { ends: string[]; begun: number; most: number } {
  let open = 0;
  let begun = 0;
  let most = 0;
  const ends: string[] = [];
  const host: Host<undefined> = {
    stateOf: () => {
      begun += 1;
      open += 1;
      most = Math.max(most, open);
    },
    begin: (frame, node) => {
      if (node.body === undefined) {
        execution.settle(frame, node, { kind: "succeeded", handles: ["out"] });
      } else {
        const bounds = { kind: "for_each", count, concurrency: 7, tolerated: 0 } as const;
        execution.openLoop(frame, node, bounds);
      }
    },
    abandon: () => {},
    finishes: () => true,
    judge: () => {
      open -= 1;
      return "succeeded";
    },
    iterationFailed: () => {},
    loopEnded: (_loop, kind) => void ends.push(kind),
    pause: () => {},
    endPause: () => {},
    ended: (end) => void ends.push(end),
  };
  const execution = new Execution(planOf(graph), undefined, host);
  execution.begin();
  expect(open).toBe(0);
  return { ends, begun, most };
}

it("iterates 10,000 items whose nodes have no effects without nesting calls", () => {
  const graph = graphOf(["b c"], {
    loop: { type: "for_each@1" },
    b: { parent: "loop" },
    c: { parent: "loop" },
  });
  const ends = ["succeeded", "completed"];
  expect(iterate(graph, 10_000)).toEqual({ ends, begun: 10_000, most: 7 });
});

it("fails a loop whose iterations would have more than 500,000 nodes", () => {
  const nodes = Array.from({ length: 1_000 }, (_, at) => [`n${at}`, { parent: "loop" }] as const);
  const graph = graphOf([], { loop: { type: "for_each@1" }, ...Object.fromEntries(nodes) });
  expect(iterate(graph, 501)).toMatchObject({ ends: ["exhausted", "failed"], begun: 500 });
});
