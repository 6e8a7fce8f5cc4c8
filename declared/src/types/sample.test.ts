import { describe, expect, it } from "vitest";
import type { Json } from "../document/json.ts";
import { differenceFromSchema } from "./conformance.ts";
import { sampleOf } from "./sample.ts";

describe("a sample of a schema", () => {
  it.each<[string, Json, Json]>([
    ["an example", { type: "string", examples: ["#alerts"] }, "#alerts"],
    ["a default", { type: "integer", default: 7 }, 7],
    ["a constant", { const: "on" }, "on"],
    ["the first of an enumeration", { enum: ["a", "b"] }, "a"],
    ["text", { type: "string" }, "sample"],
    ["a time", { type: "string", format: "date-time" }, "2026-01-01T00:00:00Z"],
    ["a number in its range", { type: "integer", minimum: 3 }, 3],
    ["the first alternative", { anyOf: [{ type: "null" }, { type: "string" }] }, null],
    ["a list", { type: "array", items: { type: "boolean" } }, [true]],
    [
      "all members of an object",
      { type: "object", properties: { a: { type: "number" }, b: { type: "string" } } },
      { a: 0, b: "sample" },
    ],
    ["a part by reference", { $ref: "#/$defs/id", $defs: { id: { type: "integer" } } }, 0],
    [
      "all parts together",
      { allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { const: 2 } } }] },
      { a: 1, b: 2 },
    ],
    ["null where anything goes", true, null],
  ])("is %s", (_what, schema, expected) => {
    const sample = sampleOf(schema);
    expect(sample).toEqual(expected);
    expect(differenceFromSchema(sample, schema as never)).toBeUndefined();
  });

  it("follows the parameters that give a part of the schema", () => {
    const schema = {
      type: "object",
      properties: { body: { $from: "params.response" }, echo: { $typeOf: "params.value" } },
    };
    const params = {
      response: { type: "object", properties: { free: { type: "integer" } } },
      value: 5,
    };
    expect(sampleOf(schema, params)).toEqual({ body: { free: 0 }, echo: 5 });
  });

  it("ends where a schema contains itself", () => {
    const tree = { type: "object", properties: { child: { $ref: "#" } } };
    expect(JSON.stringify(sampleOf(tree)).length).toBeLessThan(200);
    const properties = Array.from({ length: 100 }, (_, at) => [`p${at}`, { $ref: "#" }]);
    const wide = { type: "object", properties: Object.fromEntries(properties) as never };
    expect(JSON.stringify(sampleOf(wide)).length).toBeLessThan(10_000_000);
  });
});
