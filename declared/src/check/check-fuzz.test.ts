/** No JSON crashes the checker, however much it looks like a document. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../document/json.ts";
import type { Catalog } from "./catalog.ts";
import { checkDocument } from "./check-document.ts";

/** `make test-random` asks for 20,000 of each property. */
const RUNS = Number(process.env["OXBOW_RANDOM_RUNS"] ?? 200);
const { SEED } = process.env;
const options = { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) };

const catalog: Catalog = { nodeType: (type) => (type === "task@1" ? { type } : undefined) };

const id = fc.constantFrom("a", "b", "c", "d", "missing", "constructor");
const expression = fc.constantFrom(
  "true",
  "nodes.a.output.x > 1 && has(nodes.b)",
  "nodes.constructor.output == item",
  "input.__proto__.x == loops.a.item",
  "now - duration('1h') > run.started_at",
  "[1, 2].map(x, x * index).exists(y, y in nodes.c.output)",
  "1 +",
  "resource('A', 'b').c == config.x",
);
const path = fc.constantFrom(
  "input.a",
  "nodes.b.output[0].c",
  "item",
  "nodes.__proto__",
  "x y",
  "",
);
const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>,
    expression.map((text) => ({ $cel: text })),
    expression.map((text) => ({ $text: `a {{ ${text} }}` })),
    fc.tuple(path, tie("value")).map(([$path, otherwise]) => ({ $path, default: otherwise })),
    path.map(($path) => ({ $path })),
    fc.constantFrom<Json>(
      { $secret: "s" },
      { $config: "x" },
      { $resource: { type: "A", id: "b" } },
    ),
    fc.dictionary(
      fc.constantFrom("cases", "items", "until", "workflow", "output", "x"),
      tie("value"),
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    expression.map((when): Json => ({ cases: [{ id: "x", when }] })),
  ),
})).value;

const type = fc.constantFrom(
  ..."task branch for_each repeat run end set wait approve other"
    .split(" ")
    .map((name) => `${name}@1`),
);
const node = fc.record(
  {
    type,
    params: value,
    parent: id,
    when: expression,
    join: fc.constantFrom<Json>("all", "any", { count: 1 }, { count: 2 }),
    onError: fc.constantFrom("fail", "continue"),
    fallback: value,
    rollback: fc.record({ type, params: value }),
  },
  { requiredKeys: ["type"] },
);
const document = fc.record(
  {
    format: fc.constant(1),
    name: fc.constant("w"),
    input: fc.constantFrom<Json>({ type: "object", properties: { a: { type: "string" } } }, true, {
      $ref: "#",
    }),
    nodes: fc.dictionary(id, node, { minKeys: 1 }),
    edges: fc.array(
      fc.record({ from: id, to: id, on: fc.constantFrom("out", "error", "x", "else") }),
      { maxLength: 8 },
    ),
    triggers: fc.dictionary(
      fc.constantFrom("t", "u"),
      fc.record(
        { on: fc.constantFrom("schedule", "a.b"), when: expression, input: value },
        { requiredKeys: ["on"] },
      ),
    ),
  },
  { requiredKeys: ["format", "name", "nodes"] },
);

/** The same with edges between its nodes, in one direction, and without loops. */
const sound = document.map((given) => {
  const nodes = Object.entries(given.nodes).map(([name, each]) => [
    name,
    Object.fromEntries(Object.entries(each).filter(([member]) => member !== "parent")),
  ]);
  const edges = (given.edges ?? []).filter(
    ({ from, to }) => from < to && [from, to].every((end) => Object.hasOwn(given.nodes, end)),
  );
  return { ...given, nodes: Object.fromEntries(nodes), edges };
});

describe("checker", () => {
  it("never throws for a document, and a compiled one has no errors", () => {
    fc.assert(
      fc.property(fc.oneof(document, sound), (given) => {
        const { problems, compiled } = checkDocument(given, catalog);
        const hasErrors = problems.some(({ severity }) => severity === "error");
        expect(compiled === undefined).toBe(hasErrors);
        for (const { message, hint } of problems) {
          expect(message).not.toMatch(/undefined|\[object/);
          expect(hint).toMatch(/\S/);
        }
      }),
      { ...options, endOnFailure: true },
    );
  });

  it("never throws for other JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        expect(checkDocument(given, catalog).problems.length).toBeGreaterThan(0);
      }),
      options,
    );
  });
});
