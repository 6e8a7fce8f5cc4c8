import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../document/json.ts";
import { differenceFromSchema, firstDifference } from "./conformance.ts";
import { typeOfJson } from "./from-schema.ts";

const order: Json = {
  type: "object",
  required: ["id", "lines"],
  additionalProperties: false,
  properties: {
    id: { type: "string" },
    note: { type: ["string", "null"] },
    state: { enum: ["open", "paid"] },
    lines: { type: "array", items: { type: "object", properties: { count: { type: "integer" } } } },
  },
};

describe("a value", () => {
  it.each<[string, Json]>([
    ["all members", { id: "a", note: null, state: "paid", lines: [{ count: 1, other: true }] }],
    ["the required ones", { id: "a", lines: [] }],
  ])("with %s is of its schema", (_title, value) => {
    expect(differenceFromSchema(value, order)).toBeUndefined();
  });

  it.each<[Json, string]>([
    [null, "$ is null instead of an object with id, note?, state?, lines"],
    [{ lines: [] }, "$.id is missing"],
    [{ id: 1, lines: [] }, "$.id is 1 instead of text"],
    [{ id: "a", lines: [{}, { count: 1.5 }] }, "$.lines[1].count is 1.5 instead of a whole number"],
    [{ id: "a", lines: [], more: 1 }, "$.more is not in the schema"],
    [{ id: "a", lines: [], note: 1 }, "$.note is 1 instead of text or null"],
    [{ id: "a", lines: [], state: "gone" }, '$.state is "gone" instead of "open" or "paid"'],
  ])("%j isn't: the first difference is named", (value, expected) => {
    expect(differenceFromSchema(value, order)).toBe(expected);
  });

  it("that is nested too deeply to be compared is of no schema", () => {
    const nested = (levels: number): Json =>
      JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`) as Json;
    const deep = { id: nested(100_000), lines: [] };
    expect(differenceFromSchema(deep, order)).toBe("$ is nested more than 1000 levels deep");
    expect(differenceFromSchema({ id: nested(999), lines: [] }, order)).toMatch(/instead of text$/);
  });

  it("fulfils a schema whose reference is no pointer, since nothing is known of it", () => {
    expect(differenceFromSchema(1, { $ref: "#/%" })).toBeUndefined();
  });

  it("of a recursive schema is compared until the type is unknown", () => {
    const tree: Json = {
      type: "object",
      properties: { children: { type: "array", items: { $ref: "#" } } },
    };
    expect(differenceFromSchema({ children: [{ children: [{ children: 1 }] }] }, tree)).toBe(
      "$.children[0].children[0].children is 1 instead of a list of an object with children?",
    );
  });

  it("is of any type that was made of it, and only then", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(firstDifference(value as Json, typeOfJson(value as Json))).toBeUndefined();
      }),
    );
  });
});
