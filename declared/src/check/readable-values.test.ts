import { describe, expect, it } from "vitest";
import type { Document, JsonSchema } from "../document/document.ts";
import type { Catalog } from "./catalog.ts";
import { readableInCondition, readableValues } from "./readable-values.ts";

const catalog: Catalog = {
  nodeType: (type) =>
    type === "call@1"
      ? {
          type,
          output: {
            type: "object",
            required: ["id", "count"],
            properties: { id: { type: "string" }, count: { type: "integer" } },
          },
        }
      : undefined,
  trigger: () => ({ event: { type: "object", required: ["a"], properties: { a: {} } } }),
};

const document: Document = {
  format: 1,
  name: "a",
  input: {
    type: "object",
    required: ["name"],
    properties: { name: { type: "string" }, note: { type: "string" } },
  },
  triggers: { changed: { on: "x" } },
  nodes: {
    first: { type: "call@1" },
    which: { type: "branch@1", params: { cases: [{ id: "yes", when: "true" }] } },
    maybe: { type: "call@1" },
    each: { type: "for_each@1", params: { items: [{ sku: "a" }] } },
    inside: { type: "call@1", parent: "each" },
    last: { type: "call@1", join: "any" },
    later: { type: "call@1" },
  },
  edges: [
    { from: "first", to: "which" },
    { from: "which", on: "yes", to: "maybe" },
    { from: "maybe", to: "last" },
    { from: "which", on: "else", to: "last" },
    { from: "last", to: "each" },
    { from: "last", to: "later" },
  ],
};

const at = (node: string, wanted?: JsonSchema): Record<string, string> =>
  Object.fromEntries(
    readableValues(document, catalog, { kind: "parameters", node }, wanted).map(
      ({ path, isGuaranteed, fit }) => [path, `${isGuaranteed ? "sure" : "perhaps"} ${fit}`],
    ),
  );

describe("the values that a place can read", () => {
  it("are guaranteed only where they exist in every way that leads there", () => {
    const values = at("last", { type: "string" });
    expect(values).toMatchObject({
      "input.name": "sure yes",
      "input.note": "perhaps yes",
      "nodes.first.output.id": "sure yes",
      "nodes.first.output.count": "sure no",
      "nodes.maybe.output.id": "perhaps yes",
      "run.id": "sure yes",
    });
    expect(Object.keys(values).filter((path) => /later|nodes\.last|^nodes$/.test(path))).toEqual(
      [],
    );
  });

  it("come with the reason where they may be missing", () => {
    const place = { kind: "parameters", node: "last" } as const;
    const found = readableValues(document, catalog, place).find(
      ({ path }) => path === "nodes.maybe.output.id",
    );
    expect(found?.reason).toMatch(/"which" takes "?else/);
  });

  it("are those of the iteration in a loop, and at its end", () => {
    expect(at("inside")).toMatchObject({ "item.sku": "sure yes", index: "sure yes" });
    const end = readableValues(document, catalog, { kind: "body", loop: "each" });
    expect(end.map(({ path }) => path)).toContain("nodes.inside.output.id");
    expect(at("later")).not.toHaveProperty("item");
  });

  it("are the event in a trigger", () => {
    const values = readableValues(document, catalog, { kind: "trigger", trigger: "changed" });
    expect(values.map(({ path }) => path)).toEqual(["event", "event.a"]);
  });

  it("come in the order of use: guaranteed and of the wanted type first", () => {
    const values = readableValues(
      document,
      catalog,
      { kind: "parameters", node: "last" },
      { type: "integer" },
    );
    expect(values[0]?.path).toBe("nodes.first.output.count");
  });
});

it("the values that a condition outside of workflows can read are its variables with their members, guaranteed ones first", () => {
  const scope = { incident: { $ref: "resource:Incident" }, team: { type: "string" } };
  const incident = {
    type: "object",
    required: ["rank"],
    properties: { lead: { type: "string" }, rank: { type: "integer" } },
  };
  const resourceType = (type: string) =>
    type === "Incident" ? { type, schema: incident } : undefined;
  expect(
    readableInCondition(scope, { resourceType }).map(({ path, type, isGuaranteed }) => [
      path,
      type,
      isGuaranteed,
    ]),
  ).toEqual([
    ["incident", "an object with lead?, rank", true],
    ["incident.rank", "a whole number", true],
    ["team", "text", true],
    ["incident.lead", "text", false],
  ]);
  expect(readableInCondition(scope).map(({ path }) => path)).toEqual(["incident", "team"]);
});
