import { expect, it } from "vitest";
import type { Json } from "../document/json.ts";
import type { Catalog } from "./catalog.ts";
import { checkDocument } from "./check-document.ts";

const catalog: Catalog = {
  nodeType: (type) =>
    type === "task@1"
      ? {
          type,
          params: { type: "object", properties: { x: {}, when: {} }, additionalProperties: false },
          output: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
        }
      : undefined,
};

/** Blocks of a branch and a join, of which each node reads the one before it. */
function document(count: number): Json {
  const nodes: Record<string, Json> = { start: { type: "task@1" } };
  const edges: Json[] = [];
  let last = "start";
  for (let at = 0; 4 * at < count - 4; at += 1) {
    const [ask, yes, no, join] = ["ask", "yes", "no", "join"].map((name) => `${name}_${at}`);
    if (ask === undefined || yes === undefined || no === undefined || join === undefined) break;
    const read = (id: string): Json => ({ x: { $path: `nodes.${id}.output.n` } });
    nodes[ask] = {
      type: "branch@1",
      params: { cases: [{ id: "yes", when: `nodes.${last}.output.n > ${at}` }] },
    };
    nodes[yes] = { type: "task@1", params: read(last) };
    nodes[no] = { type: "task@1", params: { x: { $text: `{{ nodes.${last}.output.n }}` } } };
    nodes[join] = {
      type: "task@1",
      params: { x: { $cel: `has(nodes.${yes}) ? nodes.${yes}.output.n : nodes.${no}.output.n` } },
    };
    edges.push(
      { from: last, to: ask },
      { from: ask, on: "yes", to: yes },
      { from: ask, on: "else", to: no },
      { from: yes, to: join },
      { from: no, to: join },
    );
    last = join;
  }
  return { format: 1, name: "large", nodes, edges };
}

/** The least CPU time of three, in milliseconds. */
function timeOf(check: () => unknown): number {
  return Math.min(
    ...[1, 2, 3].map(() => {
      const start = process.cpuUsage();
      check();
      return process.cpuUsage(start).user / 1_000;
    }),
  );
}

it("1,000 nodes are checked within the patience of an editor", () => {
  const large = document(1000);
  const { problems } = checkDocument(large, catalog);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  // About 0.15 s on an idle core; caches that others use too make it more.
  expect(timeOf(() => checkDocument(large, catalog))).toBeLessThan(5000);
});

it("a chain of 1,000 values that derive from each other doesn't exhaust the stack", () => {
  const nodes: Record<string, Json> = { n0: { type: "set@1", params: { v: 1 } } };
  const edges: Json[] = [];
  for (let at = 1; at < 1000; at += 1) {
    const before = `n${at - 1}`;
    nodes[`n${at}`] = { type: "set@1", params: { v: { $path: `nodes.${before}.output.v` } } };
    edges.push({ from: before, to: `n${at}` });
  }
  // Types are needed from the last node to the first.
  const reversed = Object.fromEntries(Object.entries(nodes).toReversed());
  const { problems } = checkDocument({ format: 1, name: "chain", nodes: reversed, edges }, catalog);
  expect(problems).toEqual([]);
});

it("a schema that refers to itself ten times is read as far as is sensible", () => {
  const self: Json = { anyOf: Array.from({ length: 10 }, () => ({ $ref: "#" })) };
  const { problems } = checkDocument(
    {
      format: 1,
      name: "recursive",
      input: self,
      output: self,
      triggers: { daily: { on: "schedule", every: "1d", input: 10 } },
      nodes: { a: { type: "end@1", params: { output: 11 } } },
      edges: [],
    },
    catalog,
  );
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
});
