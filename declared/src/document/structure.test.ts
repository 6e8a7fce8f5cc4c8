import { expect, it } from "vitest";
import type { Document, Node } from "./document.ts";
import { structureProblems } from "./structure.ts";

const documentOf = (
  nodes: Readonly<Record<string, Partial<Node>>>,
  edges: readonly string[] = [],
): Document => ({
  format: 1,
  name: "a",
  nodes: Object.fromEntries(
    Object.entries(nodes).map(([id, node]) => [id, { type: "set@1", ...node }]),
  ),
  edges: edges.map((edge) => {
    const [from = "", to = ""] = edge.split(" ");
    return { from, to };
  }),
});

it("accepts a graph with a loop in a loop", () => {
  const document = documentOf(
    {
      a: {},
      each: { type: "for_each@1" },
      again: { type: "repeat@1", parent: "each" },
      b: { parent: "again" },
      j: { join: { count: 2 } },
    },
    ["a each", "each j", "a j"],
  );
  expect(structureProblems(document)).toEqual([]);
});

it("names a cycle, and one of its edges", () => {
  const document = documentOf({ a: {}, b: {}, c: {} }, ["a b", "b c", "c b"]);
  expect(structureProblems(document)).toEqual([
    {
      code: "CYCLE",
      severity: "error",
      pointer: "/edges/2",
      message: 'the edges form a cycle: "b" → "c" → "b"',
      hint: 'Remove the edge from "c" (out). To repeat nodes, put them into a loop of type repeat or for_each.',
    },
  ]);
});

const loop = { type: "for_each@1" };

it.each([
  ["an edge to nowhere", documentOf({ a: {} }, ["a b"]), "UNKNOWN_NODE", "/edges/0/to"],
  ["an edge to itself", documentOf({ a: {} }, ["a a"]), "CYCLE", "/edges/0"],
  ["a parent that is gone", documentOf({ a: { parent: "b" } }), "UNKNOWN_NODE", "/nodes/a/parent"],
  [
    "a parent that is no loop",
    documentOf({ a: {}, b: { parent: "a" } }),
    "NOT_A_LOOP",
    "/nodes/b/parent",
  ],
  ["a loop in itself", documentOf({ a: { ...loop, parent: "a" } }), "CYCLE", "/nodes/a/parent"],
  [
    "three loops in one another",
    documentOf({
      a: loop,
      b: { ...loop, parent: "a" },
      c: { ...loop, parent: "b" },
      d: { parent: "c" },
    }),
    "TOO_DEEP",
    "/nodes/c/parent",
  ],
  ["a loop without nodes", documentOf({ a: loop }), "EMPTY_LOOP", "/nodes/a"],
  [
    "an edge into a loop",
    documentOf({ a: loop, b: { parent: "a" }, c: {} }, ["c b"]),
    "EDGE_CROSSES_LOOP",
    "/edges/0",
  ],
  [
    "a count beyond its edges",
    documentOf({ a: {}, b: { join: { count: 2 } } }, ["a b"]),
    "UNREACHABLE_COUNT",
    "/nodes/b/join/count",
  ],
])("finds %s", (_what, document, code, pointer) => {
  expect(structureProblems(document).map((problem) => [problem.code, problem.pointer])).toEqual([
    [code, pointer],
  ]);
});
