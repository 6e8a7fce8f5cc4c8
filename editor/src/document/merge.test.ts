import type { Document, Node } from "@oxbow/declared/check";
import { describe, expect, it } from "vitest";
import { mergeDrafts, type Side } from "./merge.ts";

const draft = (change: Partial<Document> = {}): Document => ({
  format: 1,
  name: "a",
  title: "Title",
  nodes: { one: node("1"), two: node("2") },
  edges: [{ from: "one", to: "two" }],
  ...change,
});

const node = (title: string, more: Partial<Node> = {}): Node => ({
  type: "set@1",
  title,
  ...more,
});

const merged = (mine: Document, theirs: Document, side: Side = "mine"): Document =>
  mergeDrafts(draft(), mine, theirs).resolve(() => side);

describe("a merge of two drafts", () => {
  it("takes each part from the side that changed it", () => {
    const mine = draft({ title: "Mine", nodes: { one: node("mine"), two: node("2") } });
    const theirs = draft({
      nodes: { one: node("1"), two: node("2"), three: node("3") },
      edges: [
        { from: "one", to: "two" },
        { from: "two", to: "three" },
      ],
    });
    expect(mergeDrafts(draft(), mine, theirs).conflicts).toEqual([]);
    expect(merged(mine, theirs)).toEqual({
      ...theirs,
      title: "Mine",
      nodes: { one: node("mine"), two: node("2"), three: node("3") },
    });
  });

  it("finds a conflict only where both changed a part differently", () => {
    const mine = draft({ nodes: { one: node("mine"), two: node("same") } });
    const theirs = draft({ nodes: { one: node("theirs"), two: node("same") } });
    const { conflicts } = mergeDrafts(draft(), mine, theirs);
    expect(conflicts).toEqual([
      { kind: "node", name: "one", mine: node("mine"), theirs: node("theirs") },
    ]);
    expect(merged(mine, theirs, "mine").nodes["one"]).toEqual(node("mine"));
    expect(merged(mine, theirs, "theirs").nodes["one"]).toEqual(node("theirs"));
  });

  it("asks about a node that one removed and the other changed", () => {
    const mine = draft({ nodes: { one: node("1") }, edges: [] });
    const theirs = draft({ nodes: { one: node("1"), two: node("theirs") } });
    const { conflicts } = mergeDrafts(draft(), mine, theirs);
    expect(conflicts.map(({ name }) => name)).toEqual(["two"]);
    expect(Object.keys(merged(mine, theirs, "mine").nodes)).toEqual(["one"]);
    expect(Object.keys(merged(mine, theirs, "theirs").nodes)).toEqual(["one", "two"]);
  });

  it("leaves no edge to a node that is gone", () => {
    const mine = draft({ nodes: { one: node("1") }, edges: [] });
    const theirs = draft({
      nodes: { one: node("1"), two: node("2"), three: node("3") },
      edges: [
        { from: "one", to: "two" },
        { from: "two", to: "three" },
      ],
    });
    expect(merged(mine, theirs).edges).toEqual([]);
  });

  it("keeps edges that one side added and drops those that the other removed", () => {
    const mine = draft({ edges: [] });
    const theirs = draft({
      edges: [
        { from: "one", to: "two" },
        { from: "one", on: "error", to: "two" },
      ],
    });
    expect(merged(mine, theirs).edges).toEqual([{ from: "one", on: "error", to: "two" }]);
  });
});
