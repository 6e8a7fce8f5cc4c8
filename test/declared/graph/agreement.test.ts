/**
 * The machine against a naive interpreter, on random graphs with loops. `SEED=7 GRAPHS=2000` repeats or enlarges a run;
 * the seed of a failure is in its message.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { interpret } from "./naive.ts";
import { Answers, execute, randomGraph } from "./random-graph.ts";

const seed = Number(process.env["SEED"] ?? Math.trunc(Math.random() * 2 ** 31));
const numRuns = Number(process.env["GRAPHS"] ?? 200);
const UNSETTLED = new Set(["idle", "ready", "running", "open"]);

const choices = fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }));

it(`a naive interpreter agrees on every node and edge of ${numRuns} graphs, seed ${seed}`, () => {
  fc.assert(
    fc.property(randomGraph, fc.nat(), choices, (graph, salt, order) => {
      const answers = new Answers(salt, graph);
      const executed = execute(graph, answers, () => order.next().value as number);
      const expected = interpret(graph, answers, executed.log);
      // It ends, once, and begins each node once.
      expect(executed.ends).toEqual([expected.end]);
      expect(executed.repeated).toEqual([]);
      expect(differences(executed.nodes, expected.nodes, "idle")).toEqual([]);
      expect(differences(executed.edges, expected.edges, "open")).toEqual([]);
      const endsEarly = expected.end !== "completed" && graph.settings.failFast;
      expect(endsEarly ? [] : unsettled(executed.nodes)).toEqual([]);
      expect(endsEarly ? [] : unsettled(executed.edges)).toEqual([]);
    }),
    { seed, numRuns },
  );
});

function differences(
  actual: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
  first: string,
): string[] {
  return [...actual].flatMap(([name, status]) => {
    const other = expected.get(name) ?? first;
    return status === other ? [] : [`${name} is ${status}, and should be ${other}`];
  });
}

/** Outside loops, whose iterations may end early. */
const unsettled = (statuses: ReadonlyMap<string, string>): string[] =>
  [...statuses].flatMap(([name, status]) =>
    !name.includes(".") && UNSETTLED.has(status) ? [`${name} is ${status}`] : [],
  );
