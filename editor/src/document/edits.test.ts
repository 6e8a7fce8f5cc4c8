import type { Document } from "@oxbow/declared/check";
import { describe, expect, it } from "vitest";
import { obstacleTo, targetsOf } from "./connections.ts";
import { type Drawing, freeId, insertOnEdge, moveInto, removeNodes } from "./edits.ts";
import { copyNodes, pasteNodes, readFragment } from "./fragment.ts";
import { nodesInOrder } from "./order.ts";
import { valueAt, withValueAt } from "./places.ts";

const document: Document = {
  format: 1,
  name: "a",
  nodes: {
    one: { type: "set@1" },
    each: { type: "for_each@1", params: { items: { $path: "nodes.one.output.list" } } },
    body: { type: "set@1", parent: "each", params: { a: { $text: "{{ loops.each.item }}" } } },
    last: { type: "set@1", params: { a: { $path: "nodes.each.output.results" } } },
  },
  edges: [
    { from: "one", to: "each" },
    { from: "each", to: "last" },
  ],
};
const drawing: Drawing = { document, positions: { one: [0, 0], each: [300, 0] } };

describe("edits", () => {
  it("make ids that are free", () => {
    expect(freeId("slack.post@2", {})).toBe("post");
    expect(freeId("slack.post@2", { post: 1, post_2: 1 })).toBe("post_3");
  });

  it("insert a node on an edge", () => {
    const added = { id: "new", node: { type: "set@1" } };
    const { edges } = insertOnEdge(drawing, { from: "one", to: "each" }, added, "out").document;
    expect(edges).toEqual([
      { from: "one", to: "new" },
      { from: "new", to: "each" },
      { from: "each", to: "last" },
    ]);
  });

  it("remove a loop with its body, and connect its neighbours", () => {
    const next = removeNodes(drawing, ["each"]);
    expect(Object.keys(next.document.nodes)).toEqual(["one", "last"]);
    expect(next.document.edges).toEqual([{ from: "one", to: "last" }]);
    expect(next.positions).toEqual({ one: [0, 0] });
  });

  it("connect the neighbours of removed nodes only where these led from one to the other", () => {
    const nodes = Object.fromEntries(["a", "b", "c", "d"].map((id) => [id, { type: "set@1" }]));
    const edges = [
      { from: "a", to: "b" },
      { from: "b", to: "c" },
      { from: "c", to: "d" },
    ];
    const chain: Drawing = { document: { ...document, nodes, edges }, positions: {} };
    expect(removeNodes(chain, ["a", "d"]).document.edges).toEqual([{ from: "b", to: "c" }]);
    expect(removeNodes(chain, ["b", "c"]).document.edges).toEqual([{ from: "a", to: "d" }]);
  });

  it("remove edges that would cross the border of a loop", () => {
    expect(moveInto(document, "last", "each").edges).toEqual([{ from: "one", to: "each" }]);
  });

  it("name the obstacle to a connection", () => {
    const to = (from: string, target: string): string | undefined =>
      obstacleTo(document, { from, on: "out", to: target });
    expect(to("one", "last")).toBeUndefined();
    expect(to("last", "one")).toMatch(/circle/);
    expect(to("one", "one")).toMatch(/itself/);
    expect(to("one", "body")).toMatch(/same loop/);
    expect(to("one", "each")).toMatch(/already leads/);
  });

  it("paste nodes under free ids, whose reads follow", () => {
    const text = JSON.stringify(copyNodes(drawing, ["each", "last"]));
    const fragment = readFragment(text);
    if (fragment === undefined) throw new Error("The fragment can't be read.");
    const { drawing: pasted, ids } = pasteNodes(drawing, fragment);
    expect(ids).toEqual(["for_each", "set", "set_2"]);
    expect(pasted.document.nodes).toMatchObject({
      for_each: { params: { items: { $path: "nodes.one.output.list" } } },
      set: { parent: "for_each", params: { a: { $text: "{{ loops.for_each.item }}" } } },
      set_2: { params: { a: { $path: "nodes.for_each.output.results" } } },
    });
    expect(pasted.document.edges).toContainEqual({ from: "for_each", to: "set_2" });
    expect(readFragment("{}")).toBeUndefined();
  });

  it("replace values at any depth, and remove them", () => {
    const changed = withValueAt(document, "/nodes/one/params/a~1b", [1, 2]);
    expect(valueAt(changed, "/nodes/one/params/a~1b/1")).toBe(2);
    expect(
      valueAt(
        withValueAt(changed, "/nodes/one/params/a~1b/0", undefined),
        "/nodes/one/params/a~1b",
      ),
    ).toEqual([2]);
    expect(withValueAt(document, "/title", undefined)).toEqual(document);
  });

  it("list nodes in the order in which they run, bodies after their loops", () => {
    expect(nodesInOrder(document)).toEqual([
      { id: "one", depth: 0 },
      { id: "each", depth: 0 },
      { id: "body", depth: 1 },
      { id: "last", depth: 0 },
    ]);
  });

  it("find the targets of a way out that have no obstacle", () => {
    const { nodes } = document;
    for (const from of Object.keys(nodes)) {
      for (const on of ["out", "error"]) {
        const free = Object.keys(nodes).filter(
          (to) => obstacleTo(document, { from, on, to }) === undefined,
        );
        expect([from, on, targetsOf(document, from, on)]).toEqual([from, on, free]);
      }
    }
    expect(targetsOf(document, "one", "out")).toEqual(["last"]);
  });
});
