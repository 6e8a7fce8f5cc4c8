import { describe, expect, it } from "vitest";
import { readDocument } from "./read-document.ts";

const document = (changes: object = {}): unknown => ({
  format: 1,
  name: "fulfil",
  nodes: { a: { type: "set@1" }, b: { type: "set@1" } },
  edges: [{ from: "a", to: "b" }],
  ...changes,
});

const node = (changes: object): unknown =>
  document({ nodes: { a: { type: "set@1", ...changes } } });

const found = (value: unknown): readonly (readonly [string, string])[] =>
  readDocument(value).problems.map(({ code, pointer }) => [code, pointer]);

describe("reading a document", () => {
  it.each(["input", "layout", "nodes"])("rejects one that is nested too deeply in %s", (member) => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`);
    expect(found(document({ [member]: deep }))).toEqual([["TOO_DEEP", ""]]);
  });

  it("accepts one with every member", () => {
    const value = document({
      title: "Fulfil",
      description: "An order.",
      input: { type: "object" },
      output: true,
      triggers: {
        changed: { on: "order.updated", when: "true", once_for: ["event.id"], delay: "5m" },
      },
      nodes: {
        a: {
          type: "http.request@1",
          title: "Stock",
          params: {
            url: { $text: "https://{{input.id}}" },
            deep: [{ $path: "input.id", default: 0 }],
          },
          when: "input.ok",
          join: { count: 2 },
          losers: "finish",
          retry: { attempts: 3, backoff: { kind: "exp", base: "1s" }, only: ["TIMEOUT"] },
          timeout: "10s",
          onError: "continue",
          fallback: { $literal: { $path: "no binding" } },
          rollback: { type: "stock.release@1", params: {} },
        },
        b: { type: "set@1", parent: "a" },
      },
      settings: { maxParallel: 5, failFast: false, pool: "default" },
    });
    expect(readDocument(value)).toEqual({ document: value, problems: [] });
  });

  it("names each mistake, its place and its node", () => {
    const { problems } = readDocument(node({ join: "most", retries: 3 }));
    expect(problems).toEqual([
      {
        code: "WRONG_VALUE",
        severity: "error",
        node: "a",
        pointer: "/nodes/a/join",
        message: '"most" is not one of "all", "any"',
        hint: 'Choose one of "all", "any".',
      },
      {
        code: "UNKNOWN_MEMBER",
        severity: "error",
        node: "a",
        pointer: "/nodes/a/retries",
        message: 'there is no member "retries" here',
        hint: expect.stringContaining("retry") as string,
      },
    ]);
  });

  it.each([
    ["no object", [], "WRONG_TYPE", ""],
    ["another format", document({ format: 2 }), "WRONG_VALUE", "/format"],
    ["no nodes", document({ nodes: {} }), "TOO_FEW", "/nodes"],
    ["an invalid name", document({ name: "My Flow" }), "INVALID_NAME", "/name"],
    [
      "an invalid node id",
      document({ nodes: { A: { type: "set@1" } } }),
      "INVALID_NAME",
      "/nodes/A",
    ],
    ["a type without version", node({ type: "set" }), "INVALID_NAME", "/nodes/a/type"],
    [
      "an edge twice",
      document({
        edges: [
          { from: "a", to: "b" },
          { to: "b", from: "a" },
        ],
      }),
      "DUPLICATE",
      "/edges/1",
    ],
    ["a count of zero", node({ join: { count: 0 } }), "OUT_OF_RANGE", "/nodes/a/join/count"],
    ["a duration without unit", node({ timeout: "30" }), "INVALID_DURATION", "/nodes/a/timeout"],
    [
      "a binding with two kinds",
      node({ params: { x: { $cel: "1", $path: "input" } } }),
      "INVALID_BINDING",
      "/nodes/a/params/x",
    ],
    [
      "a binding without text",
      node({ params: [{ $path: 1 }] }),
      "INVALID_BINDING",
      "/nodes/a/params/0",
    ],
    [
      "half a resource",
      node({ params: { $resource: { type: "A" } } }),
      "INVALID_BINDING",
      "/nodes/a/params",
    ],
    ["what JSON can't say", node({ params: Number.NaN }), "NOT_JSON", "/nodes/a/params"],
    ["more than a mebibyte", document({ title: "x".repeat(2 ** 20) }), "DOCUMENT_TOO_LARGE", ""],
  ])("rejects %s", (_what, value, code, pointer) => {
    expect(found(value)).toEqual([[code, pointer]]);
  });

  it("reads JSON Schemas in parameters as literals", () => {
    expect(found(node({ params: { response: { $ref: "#/$defs/a", $defs: {} } } }))).toEqual([]);
  });
});
