import { expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { contentHash } from "./content-hash.ts";
import { diffDocuments } from "./document-diff.ts";
import type { Document } from "./document.ts";

const before: Document = {
  format: 1,
  name: "a",
  title: "Old",
  nodes: {
    x: { type: "set@1", params: { text: "one", list: [1, 2] } },
    y: { type: "set@1" },
  },
  edges: [
    { from: "x", to: "y" },
    { from: "x", on: "error", to: "y" },
  ],
};

it("lists differences by node and pointer, and edges by their ends", () => {
  const after: Document = {
    format: 1,
    name: "a",
    nodes: {
      x: { type: "set@1", params: { text: "two", list: [1, 3] } },
      z: { type: "end@1" },
    },
    edges: [
      { from: "x", on: "error", to: "y" },
      { from: "x", on: "out", to: "y" },
      { from: "x", to: "z" },
    ],
  };
  expect(diffDocuments(before, after)).toEqual([
    { kind: "changed", node: "x", pointer: "/nodes/x/params/list", from: [1, 2], to: [1, 3] },
    { kind: "changed", node: "x", pointer: "/nodes/x/params/text", from: "one", to: "two" },
    { kind: "removed", node: "y", pointer: "/nodes/y", from: { type: "set@1" } },
    { kind: "added", node: "z", pointer: "/nodes/z", to: { type: "end@1" } },
    { kind: "removed", pointer: "/title", from: "Old" },
    { kind: "added", pointer: "/edges/2", to: { from: "x", to: "z" } },
  ]);
});

it("finds no difference between a document and itself in another order of members", () => {
  const { nodes, name, ...rest } = before;
  const other = { ...rest, name, nodes };
  expect(diffDocuments(before, other)).toEqual([]);
  expect(contentHash(other)).toBe(contentHash(before));
  expect(contentHash({ ...before, title: "New" })).not.toBe(contentHash(before));
});

it("writes canonical JSON as RFC 8785 orders it", () => {
  const value = {
    "\u20AC": 1,
    "\r": 2,
    "1": [1e21, 0.000_001, -0],
    "\u{1F600}": null,
    "\uFB33": {},
  };
  expect(canonicalJson(value)).toBe(
    '{"\\r":2,"1":[1e+21,0.000001,0],"\u20AC":1,"\u{1F600}":null,"\uFB33":{}}',
  );
});
