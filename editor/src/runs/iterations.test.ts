import type { Document } from "@oxbow/declared/check";
import { describe, expect, it } from "vitest";
import { isChosen, iterationsOf, pathOf } from "./iterations.ts";
import { marksOf } from "./run-marks.ts";

const DOCUMENT: Document = {
  format: 1,
  name: "packs",
  nodes: {
    pack: { type: "for_each@1", params: { items: { $path: "input.orders" } } },
    each: { type: "for_each@1", parent: "pack", params: { items: { $path: "item.lines" } } },
    reserve: { type: "set@1", parent: "each", when: "item.count > 0" },
    book: { type: "set@1", parent: "each" },
    label: { type: "set@1", parent: "pack" },
  },
  edges: [
    { from: "reserve", to: "book" },
    { from: "each", to: "label" },
  ],
};

const NODES = {
  pack: "failed",
  "pack.0.each": "succeeded",
  "pack.0.label": "succeeded",
  "pack.0.each.0.reserve": "succeeded",
  "pack.0.each.0.book": "succeeded",
  "pack.1.each": "failed",
  "pack.1.label": "skipped",
  "pack.1.each.0.reserve": "succeeded",
  "pack.1.each.0.book": "succeeded",
  "pack.1.each.1.reserve": "skipped",
  "pack.1.each.1.book": "skipped",
  "pack.1.each.11.reserve": "failed",
  "pack.1.each.11.book": "idle",
} as const;

const PROGRESS = {
  status: "failed",
  document: DOCUMENT,
  nodes: NODES,
  edges: { 0: "open", 1: "open" },
  loopEdges: {
    "pack.0": { 1: "taken" },
    "pack.1": { 1: "skipped" },
    "pack.0.each.0": { 0: "taken" },
    "pack.1.each.1": { 0: "skipped" },
    "pack.1.each.11": { 0: "failed" },
  },
  guards: {
    "pack.0.each.0.reserve": true,
    "pack.1.each.1.reserve": false,
    "pack.1.each.11.reserve": "failed",
  },
} as const;

describe("iterations", () => {
  it("are counted for each loop, with those that failed", () => {
    expect([...iterationsOf(NODES)]).toEqual([
      ["pack", { count: 2, failed: [1] }],
      ["pack.0.each", { count: 1, failed: [] }],
      ["pack.1.each", { count: 12, failed: [11] }],
    ]);
  });

  it("are counted by state if each is a child run", () => {
    const runs = {
      pack: "running",
      "pack.0": "succeeded",
      "pack.1": "failed",
      "pack.2": "running",
      "pack.3": "running",
    } as const;
    expect([...iterationsOf(runs)]).toEqual([
      ["pack", { count: 4, failed: [1], runs: { succeeded: 1, failed: 1, running: 2 } }],
    ]);
  });

  it("have the paths of the chosen ones", () => {
    const chosen = new Map([["pack", 1]]);
    expect(isChosen("pack.1.each.11.book", chosen)).toBe(true);
    expect(isChosen("pack.11.label", chosen)).toBe(false);
    expect(isChosen("pack.0.label", chosen)).toBe(false);
    expect(isChosen("pack", chosen)).toBe(true);
    expect(pathOf(DOCUMENT, "label", chosen)).toBe("pack.1.label");
    expect(pathOf(DOCUMENT, "book", chosen)).toBeUndefined();
    expect(pathOf(DOCUMENT, "book", new Map([...chosen, ["each", 0]]))).toBe("pack.1.each.0.book");
    expect(pathOf(DOCUMENT, "pack", new Map())).toBe("pack");
  });
});

describe("marks", () => {
  const textOf = (chosen: ReadonlyMap<string, number>): unknown => {
    const { nodes, edges, guards } = marksOf(PROGRESS, chosen);
    return {
      nodes: Object.fromEntries(nodes),
      edges: Object.fromEntries(edges),
      guards: Object.fromEntries(guards ?? []),
    };
  };

  it("show of all iterations what needs attention most, and of a chosen one what it did", () => {
    expect(textOf(new Map())).toEqual({
      nodes: {
        pack: "failed",
        each: "failed",
        label: "succeeded",
        reserve: "failed",
        book: "succeeded",
      },
      edges: { "reserve out book": "failed", "each out label": "taken" },
      guards: {},
    });
    expect(
      textOf(
        new Map([
          ["pack", 1],
          ["each", 1],
        ]),
      ),
    ).toEqual({
      nodes: {
        pack: "failed",
        each: "failed",
        label: "skipped",
        reserve: "skipped",
        book: "skipped",
      },
      edges: { "reserve out book": "skipped", "each out label": "skipped" },
      guards: { reserve: "false" },
    });
  });
});
