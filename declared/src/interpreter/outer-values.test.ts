import { describe, expect, it } from "vitest";
import type { Document, Node } from "../document/document.ts";
import { OuterValues } from "./outer-values.ts";

const VARIABLES = {
  input: { id: 7, lines: [1, 2], customer: { name: "Ann", notes: "long" }, none: null },
  nodes: { fetch: { output: { body: { id: 3, all: [1] } } }, other: { output: "unread" } },
  config: { rate: 2, key: "unread" },
  loops: { outer: { item: { a: 1, b: 2 }, index: 4 } },
  item: { a: 1, b: 2 },
  index: 4,
  run: { id: "1" },
};

const LOOPS: Document["nodes"] = {
  outer: { type: "for_each@1" },
  each: { type: "for_each@1", parent: "outer" },
};

function read(nodes: Record<string, Node>, collect?: Node["params"]): unknown {
  const inside = Object.entries(nodes).map(([id, node]) => [id, { parent: "each", ...node }]);
  const each = {
    ...LOOPS["each"],
    params: { items: { $path: "input.lines" }, ...(collect === undefined ? {} : { collect }) },
  };
  const document = {
    format: 1,
    name: "reads",
    nodes: { ...LOOPS, each, ...Object.fromEntries(inside) },
  } as Document;
  return new OuterValues(document, "each").of(VARIABLES);
}

describe("the values that the body of a loop reads from outside", () => {
  it("are the members that its bindings, guards and rollbacks name", () => {
    expect(
      read({
        a: {
          type: "t@1",
          when: "input.id > 0",
          params: {
            name: [{ $path: "input.customer.name" }],
            text: { $text: "{{ config.rate }}" },
          },
          onError: "continue",
          fallback: { $cel: "nodes.fetch.output.body.id + loops.outer.index" },
          rollback: { type: "t@1", params: { b: { $path: "loops.outer.item.b" } } },
        },
      }),
    ).toEqual({
      input: { id: 7, customer: { name: "Ann" } },
      nodes: { fetch: { output: { body: { id: 3 } } } },
      config: { rate: 2 },
      loops: { outer: { item: { b: 2 }, index: 4 } },
    });
  });

  it("are those of branches, of inner loops and of the result, but not of the items of the loop", () => {
    expect(
      read(
        {
          go: { type: "branch@1", params: { cases: [{ id: "x", when: "input.id == 7" }] } },
          inner: { type: "repeat@1", params: { until: "config.rate == index" } },
          deep: { type: "t@1", parent: "inner", params: { x: { $config: "key" } } },
        },
        { $path: "nodes.other.output" },
      ),
    ).toEqual({
      input: { id: 7 },
      nodes: { other: { output: "unread" } },
      config: { rate: 2, key: "unread" },
    });
  });

  it("leave out what an item has by itself", () => {
    expect(
      read({
        a: { type: "t@1", params: { x: { $cel: "[item, index, run.id, now, loops.each.item]" } } },
        b: { type: "t@1", params: { x: { $path: "nodes.a.output" } } },
      }),
    ).toEqual({});
  });

  it("keep what is there, asked for or missing, as it is", () => {
    expect(
      read({
        a: {
          type: "t@1",
          when: "has(input.lines) && has(nodes.fetch.output) && has(input.gone) && has(input.none)",
          params: {
            gone: { $path: "input.customer.gone", default: 0 },
            first: { $path: "input.lines[1]" },
            below: { $path: "input.id.more", default: 1 },
          },
        },
      }),
    ).toEqual({
      input: { lines: [1, 2], customer: {}, id: 7, none: null },
      nodes: { fetch: { output: {} } },
    });
  });

  it("are whole if an expression computes which member it reads", () => {
    expect(
      read({ a: { type: "t@1", params: { x: { $cel: "input.lines[index] + size(input)" } } } }),
    ).toEqual({ input: VARIABLES.input });
  });
});
