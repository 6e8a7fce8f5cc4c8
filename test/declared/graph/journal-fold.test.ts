/**
 * The progress that a journal shows, against the execution that left it, on random graphs with loops. Decisions are
 * journaled late: with any later row of the worker, while the database journals events. `SEED=7 GRAPHS=2000` repeats or
 * enlarges a run.
 */
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import type { Document, Node } from "../../../declared/src/document/document.ts";
import { Execution, type Frame, type Host } from "../../../declared/src/graph/execution.ts";
import { Machine } from "../../../declared/src/graph/machine.ts";
import { isItemRun, pathAt, planOf, type PlannedNode } from "../../../declared/src/graph/plan.ts";
import type { ProgressRow } from "../../../declared/src/interpreter/journaled-outcome.ts";
import { ProgressFold, progressOf } from "../../../declared/src/interpreter/progress.ts";
import { Answers, randomGraph, type RandomGraph } from "./random-graph.ts";

const seed = Number(process.env["SEED"] ?? Math.trunc(Math.random() * 2 ** 31));
const numRuns = Number(process.env["GRAPHS"] ?? 200);
const choices = fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }));
const hasHandles = (): boolean => true;

it(`shows what ${numRuns} runs did, whenever their decisions are journaled, seed ${seed}`, () => {
  let late = 0;
  fc.assert(
    fc.property(randomGraph, fc.nat(), choices, (graph, salt, order) => {
      const document = documentOf(graph, salt);
      const run = journalOf(document, new Answers(salt, graph), () => order.next().value as number);
      late += run.late;
      const fold = new ProgressFold(document, { hasHandles });
      const nodes = new Map<string, string>();
      const edges = new Map<string, string>();
      const follow = ({ nodes: changed, edges: settled }: ReturnType<typeof fold.begin>): void => {
        for (const [path, status] of Object.entries(changed)) nodes.set(path, status);
        for (const { prefix, index, status } of settled) edges.set(`${prefix} ${index}`, status);
      };
      follow(fold.begin());
      for (const [at, row] of run.rows.entries()) {
        follow(fold.add(row));
        const so = progressOf(document, run.rows.slice(0, at + 1), { hasHandles });
        for (const [path, status] of so.nodes) expect(nodes.get(path) ?? "idle").toBe(status);
      }
      for (const { machine, state } of run.frames) {
        for (const node of machine.plan.nodes) {
          const path = pathAt(state, node.id);
          expect([path, nodes.get(path) ?? "idle"]).toEqual([path, machine.statusOf(node)]);
        }
        for (const [at, { index }] of machine.plan.edges.entries()) {
          const key = `${state} ${index}`;
          expect([key, edges.get(key) ?? "open"]).toEqual([key, machine.statusOfEdge(at)]);
        }
      }
    }),
    { seed, numRuns },
  );
  expect(late).toBeGreaterThan(0);
});

it("visits as many nodes for a late decision as it settles, however long the journal is", () => {
  const [few, many] = [100, 1_000].map((waits) => {
    const { document, rows } = lateDecisions(waits);
    const spies = [
      vi.spyOn(Machine.prototype, "take"),
      vi.spyOn(Machine.prototype, "statusOf"),
      vi.spyOn(Machine.prototype, "statusOfEdge"),
    ];
    try {
      const fold = new ProgressFold(document);
      fold.begin();
      const changed = rows.map((row) => Object.keys(fold.add(row).nodes).length);
      expect(changed.every((nodes) => nodes <= 3)).toBe(true);
      expect(changed.reduce((sum, nodes) => sum + nodes, 0)).toBeGreaterThanOrEqual(3 * waits);
      return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0) / waits;
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });
  // 11 visits a decision. A fold that begins again for each makes 1,310 of 100, and 13,010 of 1,000.
  expect(many).toBe(few);
  expect(many).toBeLessThan(20);
});

it("lets nothing overtake a decision that is not journaled yet", () => {
  const document: Document = {
    format: 1,
    name: "race",
    nodes: {
      first: { type: "wait@1", params: { event: "first" } },
      go: { type: "branch@1", params: { cases: [{ id: "yes", when: "true" }] } },
      second: { type: "wait@1", params: { event: "second" } },
      join: { type: "task@1", join: "any" },
    },
    edges: [
      { from: "first", to: "go", on: "received" },
      { from: "go", to: "join", on: "yes" },
      { from: "second", to: "join", on: "received" },
    ],
  };
  const fold = new ProgressFold(document);
  fold.begin();
  const row = (name: string): ProgressRow => ({ name, output: {}, attempts: 1 });
  expect(fold.add(row("first")).nodes).toEqual({ first: "succeeded", go: "running" });
  // What it leads to depends on the branch, which the body has decided on before.
  expect(fold.add(row("second"))).toEqual({ nodes: { second: "succeeded" }, edges: [] });
  const decision = { name: "go", output: { value: { handles: ["yes"] } } };
  const { nodes } = fold.add({ name: "go", kind: "decision", attempts: 1, decisions: [decision] });
  expect(nodes).toEqual({ second: "abandoned", go: "succeeded", join: "running" });
});

it("shows that the bindings of a wait failed, which leaves a decision", () => {
  const document: Document = {
    format: 1,
    name: "unbound",
    nodes: { hold: { type: "wait@1", params: { event: "e" } }, rescue: { type: "task@1" } },
    edges: [{ from: "hold", to: "rescue", on: "error" }],
  };
  const decision = { name: "hold", output: { error: { code: "EXPRESSION_FAILED" } } };
  const rows = [{ name: "hold", kind: "decision", attempts: 1, decisions: [decision] }];
  expect(Object.fromEntries(progressOf(document, rows).nodes)).toEqual({
    hold: "failed",
    rescue: "running",
  });
});

it("begins again once for a node that a test pins, not once an iteration", () => {
  const begin = vi.spyOn(Machine.prototype, "begin");
  try {
    const fold = new ProgressFold({
      format: 1,
      name: "pinned",
      nodes: {
        loop: { type: "for_each@1", params: { items: [] } },
        each: { parent: "loop", type: "set@1", params: { values: {} } },
      },
    });
    const bounds = { kind: "for_each", count: 200, concurrency: 1, tolerated: 0 };
    const decisions = [{ name: "loop", before: true, output: { value: bounds } }];
    const output = { $test: "pin", input: null, handle: "out", output: null };
    fold.begin();
    const ends = Array.from({ length: 200 }, (_, at) => {
      const row = { name: `loop.${at}.each`, output, attempts: 1 };
      return fold.add(at === 0 ? { ...row, decisions } : row).end;
    });
    expect(ends.lastIndexOf("completed")).toBe(199);
    // Twice the graph, and each iteration, of which the first one is repeated.
    expect(begin.mock.calls.length).toBeLessThan(210);
  } finally {
    begin.mockRestore();
  }
});

/** Waits, each with a guarded task behind it, whose decision comes with the row of the task. */
function lateDecisions(waits: number): { document: Document; rows: ProgressRow[] } {
  const ids = Array.from({ length: waits }, (_, at) => at);
  const nodes = ids.flatMap((at): [string, Node][] => [
    [`wait${at}`, { type: "wait@1", params: { event: "go" } }],
    [`task${at}`, { type: "task@1", when: "true" }],
    [`done${at}`, { type: "end@1" }],
  ]);
  return {
    document: {
      format: 1,
      name: "late",
      nodes: Object.fromEntries(nodes),
      edges: ids.flatMap((at) => [
        { from: `wait${at}`, on: "received", to: `task${at}` },
        { from: `task${at}`, to: `done${at}` },
      ]),
    },
    rows: ids.flatMap((at): ProgressRow[] => [
      { name: `wait${at}`, output: {}, attempts: 1 },
      {
        name: `task${at}`,
        attempts: 1,
        decisions: [{ name: `task${at} when`, output: { value: true } }],
      },
    ]),
  };
}

/** Some tasks decide instead, compute, or have a guard. */
function documentOf({ nodes, edges, settings }: RandomGraph, salt: number): Document {
  const kinds = ["task@1", "task@1", "branch@1", "set@1"];
  const made = Object.entries(nodes).map(([id, node], at): [string, Node] => {
    const pick = (salt >>> (2 * (at % 12))) + at;
    const type = node.type === "task@1" ? (kinds[pick % 4] ?? "task@1") : node.type;
    return [id, { ...(node as Node), type, ...(pick % 3 === 0 ? { when: "true" } : {}) }];
  });
  return {
    format: 1,
    name: "random",
    nodes: Object.fromEntries(made),
    edges: edges.map(({ from, on, to }) => ({ from, on, to })),
    settings,
  };
}

interface Journaled {
  readonly rows: ProgressRow[];
  readonly frames: readonly Frame<string>[];
  /** Decisions that came with a later row than the next one. */
  readonly late: number;
}

/** Executes a document as the body of a run does, which decides when nodes begin, and journals as its worker does. */
function journalOf(document: Document, answers: Answers, order: () => number): Journaled {
  const rows: ProgressRow[] = [];
  const frames = new Set<Frame<string>>();
  const later = new Map<string, () => ProgressRow>();
  let unsent: { readonly name: string; readonly output: unknown }[] = [];
  let [late, since] = [0, 0];
  const decide = <Value>(name: string, value: Value): Value => {
    if (unsent.length === 0) since = rows.length;
    unsent.push({ name, output: { value } });
    return value;
  };
  const pathOf = ({ state }: Frame<string>, { id }: PlannedNode): string => pathAt(state, id);
  const pauseOf = ({ frame, node }: Parameters<Host<string>["pause"]>[0], index: number): string =>
    `${pathOf(frame, node)}.${index} pause`;
  const host: Host<string> = {
    stateOf: ({ frame, node }, index) => `${pathOf(frame, node)}.${index}.`,
    begin: (frame, node, mode) => {
      frames.add(frame);
      const path = pathOf(frame, node);
      const succeed = (handles: readonly string[]): void =>
        execution.settle(frame, node, { kind: "succeeded", handles });
      if (mode === "fallback") {
        succeed(["out"]);
        return;
      }
      const outcome = answers.outcome(path, mode);
      const handles = outcome.kind === "succeeded" ? outcome.handles : ["out"];
      const hasGuard = document.nodes[node.id]?.when !== undefined;
      if (hasGuard && !decide(`${path} when`, outcome.kind !== "skipped")) {
        execution.settle(frame, node, { kind: "skipped" });
      } else if (node.body !== undefined) {
        execution.openLoop(frame, node, decide(path, answers.bounds(path)));
      } else if (node.type === "branch") {
        succeed(decide(path, { handles }).handles);
      } else if (node.type === "set" || node.type === "end") succeed(["out"]);
      else {
        const [handle = "out"] = handles;
        later.set(path, () => {
          if (outcome.kind === "failed") {
            execution.settle(frame, node, { kind: "failed" });
            return { name: path, attempts: 1, error: {} };
          }
          succeed([handle]);
          return { name: path, attempts: 1, output: { handle } };
        });
      }
    },
    abandon: (frame, node) => void later.delete(pathOf(frame, node)),
    // A loop that fails doesn't wait for its child runs.
    finishes: (frame, node) => !isItemRun(node.id) || !later.delete(pathOf(frame, node)),
    judge: ({ loop, state }) => {
      if (loop?.bounds.kind !== "repeat") return "succeeded";
      return decide(`${state.slice(0, -1)} until`, answers.judge(state));
    },
    iterationFailed: () => {},
    loopEnded: () => {},
    pause: (loop, index) => {
      const name = pauseOf(loop, index);
      later.set(name, () => {
        execution.resume(loop);
        return { name, attempts: 1 };
      });
    },
    endPause: (loop, index) => void later.delete(pauseOf(loop, index)),
    ended: () => {},
  };
  const execution = new Execution(planOf(document), "", host);
  frames.add(execution.root);
  execution.begin();
  const send = (row: ProgressRow): ProgressRow => {
    if (unsent.length > 0 && rows.length > since) late += unsent.length;
    const decisions = unsent;
    unsent = [];
    return decisions.length === 0 ? row : { ...row, decisions };
  };
  while (later.size > 0) {
    const names = [...later.keys()];
    const name = names[Math.floor(order() * names.length)] ?? "";
    const settle = later.get(name);
    later.delete(name);
    // The worker's row has what was decided before it; a row of the database has no decisions.
    const isOfWorker = order() < 0.2;
    const before = isOfWorker ? send({ name, attempts: 1 }).decisions : undefined;
    const row = settle?.() ?? { name, attempts: 1 };
    rows.push(before === undefined ? row : { ...row, decisions: before });
  }
  const [first] = unsent;
  if (first !== undefined) rows.push(send({ name: first.name, kind: "decision", attempts: 1 }));
  return { rows, frames: [...frames], late };
}
