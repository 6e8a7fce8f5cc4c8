/**
 * Each topology in the simulation of the replay engine: killed at every effect, with lost answers, it comes to the same
 * end with the same journal. The simulation checks its promises (S1–S5) of every step that the interpreter asks for.
 */
import { describe, expect, it } from "vitest";
import type { Context } from "@oxbow/sdk/runtime";
import type { Document } from "../../declared/src/document/document.ts";
import { Interpretation } from "../../declared/src/interpreter/interpretation.ts";
import { ProgressFold, progressOf } from "../../declared/src/interpreter/progress.ts";
import type { ProgressRow } from "../../declared/src/interpreter/journaled-outcome.ts";
import type { DefinitionProgressChanges } from "../../declared/src/protocol/definition-progress.ts";
import { programOf } from "../../declared/src/interpreter/program.ts";
import { defineNode } from "../../declared/src/nodes/node-type.ts";
import type { Act, Behaviour, Script } from "../../sdk/src/replay/simulation/script.ts";
import { type Scenario, simulate } from "../../sdk/src/replay/simulation/simulation.ts";
import { summary } from "../../sdk/src/replay/simulation/summary.ts";
import { INPUT, TOPOLOGIES } from "./topologies.ts";

/** Describes what the simulation carries out. */
const task = defineNode({
  type: "task",
  params: { type: "object" },
  run: ({ params }) => ({ behaviour: { value: "done", ...(params as Behaviour) } }),
});

/** Outcomes of these depend on which of two steps is first. */
const RACES = new Set(["losers that wait", "diamond of any", "join on several levels"]);

describe.each(Object.entries(TOPOLOGIES))("%s", (name, document) => {
  const scenario = scenarioOf(document);

  it("comes to the same end, wherever its worker dies", async () => {
    const whole = await simulate(scenario);
    const expected = RACES.has(name) ? whole.status : summary(whole);
    for (const crashes of faults(whole.effects)) {
      const run = await simulate(scenario, { crashes });
      expect(RACES.has(name) ? run.status : summary(run)).toEqual(expected);
    }
  });

  it("comes to the same end, whichever answer of the database is lost", async () => {
    const whole = await simulate(scenario);
    for (const lostAnswers of faults(whole.effects)) {
      const run = await simulate(scenario, { lostAnswers });
      expect(RACES.has(name) ? run.status : summary(run)).toEqual(
        RACES.has(name) ? whole.status : summary(whole),
      );
    }
  });
});

it.each(Object.entries(TOPOLOGIES))(
  "the progress of %s, read only from its journal, is what its run did",
  async (_name, document) => {
    let last: Interpretation | undefined;
    const { journal, status } = await simulate(scenarioOf(document, (made) => void (last = made)));
    const { nodes, edges, end } = progressOf(document, journal);
    const { machine } = last?.root ?? documentMissing();
    const { plan } = machine;
    expect(end).toBe(status);
    expect(plan.nodes.map(({ id }) => [id, nodes.get(id)])).toEqual(
      plan.nodes.map((node) => [node.id, machine.statusOf(node)]),
    );
    expect([...(edges.get("") ?? [])]).toEqual(
      plan.edges.map(({ index }, at) => [index, machine.statusOfEdge(at)]),
    );
  },
);

it.each(Object.entries(TOPOLOGIES))(
  "the progress of %s grows row by row to what all rows so far show",
  async (_name, document) => {
    const { journal } = await simulate(scenarioOf(document));
    const fold = new ProgressFold(document);
    const nodes = new Map<string, string>();
    const edges = new Map<string, string>();
    const ends: string[] = [];
    const apply = (changes: DefinitionProgressChanges): void => {
      for (const [path, status] of Object.entries(changes.nodes)) nodes.set(path, status);
      for (const { prefix, index, status } of changes.edges)
        edges.set(`${prefix} ${index}`, status);
      if (changes.end !== undefined) ends.push(changes.end);
    };
    const compare = (rows: readonly ProgressRow[]): void => {
      const whole = progressOf(document, rows);
      for (const [path, status] of whole.nodes) {
        expect([path, nodes.get(path) ?? "idle"]).toEqual([path, status]);
      }
      for (const [prefix, statuses] of whole.edges) {
        for (const [index, status] of statuses) {
          expect([prefix, index, edges.get(`${prefix} ${index}`) ?? "open"]).toEqual([
            prefix,
            index,
            status,
          ]);
        }
      }
      expect(ends).toEqual(whole.end === undefined ? [] : [whole.end]);
    };
    apply(fold.begin());
    compare([]);
    for (const [at, row] of journal.entries()) {
      apply(fold.add(row));
      compare(journal.slice(0, at + 1));
    }
  },
);

it("shows the iterations of a loop, and what has not been reached", () => {
  const document = TOPOLOGIES["loop over items"] ?? documentMissing();
  const bounds = { kind: "for_each", count: 3, concurrency: 2, tolerated: 0 };
  const { nodes, end } = progressOf(document, [
    {
      name: "loop.1.once",
      output: 2,
      attempts: 1,
      decisions: [{ name: "loop", output: { value: bounds } }],
    },
  ]);
  expect([end, Object.fromEntries(nodes)]).toEqual([
    undefined,
    {
      loop: "running",
      done: "idle",
      "loop.0.once": "running",
      "loop.0.twice": "idle",
      "loop.1.once": "succeeded",
      "loop.1.twice": "running",
    },
  ]);
});

it.each([
  ["linear", "done"],
  ["error path", "rescued"],
  ["fallback of a join", { code: "ERROR" }],
  ["conditional", "done"],
  [
    "loop in a loop",
    [
      [11, 21],
      [12, 22],
      [13, 23],
    ],
  ],
  ["rounds with pauses", { rounds: 3, result: 2 }],
  ["end that terminates", "stopped"],
  [
    "loop that tolerates failures",
    {
      results: [null, null, null],
      succeeded: 2,
      failed: 1,
      failures: [{ index: 1, error: { code: "ERROR", message: "loop.1.each fails" } }],
    },
  ],
])("%s has its output", async (name, output) => {
  const document = TOPOLOGIES[name];
  if (document === undefined) throw new Error(name);
  expect((await simulate(scenarioOf(document))).output).toEqual(output);
});

it("journals only outputs, and decisions under their paths with the outcome that led to them", async () => {
  const { journal } = await simulate(scenarioOf(TOPOLOGIES["conditional"] ?? documentMissing()));
  expect(journal.map(({ name, output, decisions }) => [name, output, decisions])).toEqual([
    ["a", 7, [{ name: "go", output: { value: { handles: ["big"], output: ["big"] } } }]],
    ["x", "done", undefined],
  ]);
});

it("finishes the calls of a loop that fails, and abandons its waits", async () => {
  const run = await simulate(scenarioOf(TOPOLOGIES["loop that fails"] ?? documentMissing()));
  expect([run.status, run.error]).toEqual([
    "failed",
    'NodeFailed: Node "loop" failed: iteration 1 of loop "loop" failed: loop.1.each fails',
  ]);
  const ends = run.journal.map(({ name, error }) => [name, error?.code ?? error?.message]);
  expect(ends).toEqual([
    // A row of its own: the commit of the waits has no other.
    ["loop", undefined],
    ["loop.0.each", undefined],
    ["loop.1.each", "loop.1.each fails"],
    ["loop.1.hold", "STEP_ABANDONED"],
    ["loop.0.hold", "STEP_ABANDONED"],
    ["loop.2.hold", "STEP_ABANDONED"],
    ["loop.2.each", undefined],
  ]);
});

function documentMissing(): never {
  throw new Error("The corpus has no such document.");
}

const rounds = TOPOLOGIES["rounds with pauses"] ?? documentMissing();
const ROUNDS_WITHOUT_CONDITION: Document = {
  ...rounds,
  nodes: {
    ...rounds.nodes,
    poll: { type: "repeat@1", params: { until: "[1][index] == 2" } },
    ask: {
      type: "task@1",
      parent: "poll",
      params: { failures: 9 },
      retry: { attempts: 1 },
      onError: "continue",
    },
  },
};

it.each([
  ["names the step that failed it, within a loop", TOPOLOGIES["loop that fails"], "loop.1.each"],
  ["names no step that it tolerated, if an expression failed", ROUNDS_WITHOUT_CONDITION, undefined],
])("the error of a run %s", async (_title, document = documentMissing(), step) => {
  const scenario = scenarioOf(document);
  const errors: unknown[] = [];
  const body: Scenario["body"] = async (script, ctx) => {
    try {
      return await scenario.body(script, ctx);
    } catch (error) {
      errors.push(error);
      throw error;
    }
  };
  expect((await simulate({ ...scenario, body })).status).toBe("failed");
  const { code, cause } = errors[0] as { code: string; cause: Error };
  const { message } = (cause.cause ?? {}) as Partial<Error>;
  expect([code, message?.split('"')[1]]).toEqual(["NODE_FAILED", step]);
});

function scenarioOf(
  document: Document,
  onMade: (made: Interpretation) => void = () => {},
): Scenario {
  const program = programOf(document, new Map([[task.id, task]]));
  return {
    body: (script, ctx) => {
      const variables = { input: INPUT, config: {}, run: { id: "1", test: false } };
      const made = new Interpretation(observed(ctx, script), program, variables);
      onMade(made);
      return made.run();
    },
  };
}

/** The context, whose steps the simulation observes. */
function observed(ctx: Context, { observations }: Script): Context {
  const observe = async (name: string, step: Promise<unknown>): Promise<unknown> => {
    try {
      const value = await step;
      observations.add(`${name} = ${JSON.stringify(value)}`, name);
      return value;
    } catch (error) {
      observations.add(`${name} threw ${String(error)}`, name);
      throw error;
    }
  };
  const { step } = ctx;
  const observing = {
    ...step,
    run: (name: string, call: (signal: AbortSignal) => unknown, options: object) => {
      const seen = observations.steps.length;
      const act = (signal: AbortSignal): unknown => ({ ...(call(signal) as Act), seen });
      return observe(name, step.run(name, act, options));
    },
    sleep: (name: string, duration: number | string) => observe(name, step.sleep(name, duration)),
    sleepUntil: (name: string, date: Date) => observe(name, step.sleepUntil(name, date)),
    waitForEvent: (name: string, options: { readonly event: string }) =>
      observe(name, step.waitForEvent(name, options)),
    abandon: (name: string) => {
      step.abandon(name);
      observations.addAbandoned(name);
    },
  };
  return { ...ctx, step: observing as unknown as Context["step"] };
}

/** Each effect once, and some of them together with later ones. */
function faults(effects: number): Set<number>[] {
  return Array.from({ length: effects }, (_, at) =>
    at % 2 === 0 ? [new Set([at])] : [new Set([at]), new Set([at, at + 3, at + 8])],
  ).flat();
}
