import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../document/document.ts";
import { fitOf } from "./assignable.ts";
import { typeOfSchema } from "./from-schema.ts";
import { DURATION, listOf, NEVER, TEXT, TIME, type Type } from "./type.ts";

const type = (schema: JsonSchema): Type => typeOfSchema(schema, noReferences);
const noReferences = (): undefined => undefined;
const text: JsonSchema = { type: "string" };
const object = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(properties),
  additionalProperties: JsonSchema = false,
): JsonSchema => ({ type: "object", properties, required, additionalProperties });

const fit = (given: JsonSchema | Type, wanted: JsonSchema): string => {
  const isType = typeof given === "object" && "kind" in given;
  const result = fitOf(isType ? (given as Type) : type(given), type(wanted));
  return result.kind === "yes"
    ? "yes"
    : `${result.kind}: ${[...result.path, result.reason].join(" ")}`;
};

describe("assignability", () => {
  it.each<[JsonSchema | Type, JsonSchema, string]>([
    [text, text, "yes"],
    [text, {}, "yes"],
    [{}, text, "yes"],
    [{ type: "integer" }, { type: "number" }, "yes"],
    [{ type: "number" }, { type: "integer" }, "maybe: it is a number instead of a whole number"],
    [{ type: "integer" }, text, "no: it is a whole number instead of text"],
    [TIME, text, "yes"],
    [DURATION, text, "yes"],
    [TIME, { type: "number" }, "no: it is a time instead of a number"],
    [{ type: ["string", "null"] }, text, "maybe: it may be null instead of text"],
    [text, { type: ["string", "null"] }, "yes"],
    [{ type: ["number", "null"] }, text, "no: it is a number instead of text"],
    [{ enum: ["a"] }, { enum: ["a", "b"] }, "yes"],
    [{ enum: ["a", "c"] }, { enum: ["a", "b"] }, 'maybe: it is "c" instead of "a" or "b"'],
    [{ const: "c" }, { enum: ["a", "b"] }, 'no: it is "c" instead of "a" or "b"'],
    [text, { enum: ["a", "b"] }, "yes"],
    [listOf(NEVER), { type: "array", items: text }, "yes"],
    [
      listOf(TEXT),
      { type: "array", items: { type: "number" } },
      "no: [] it is text instead of a number",
    ],
    [object({ a: text }), object({ a: text }), "yes"],
    [object({}), object({ a: text }), 'no: "a" is missing'],
    [object({ a: text }, []), object({ a: text }), 'maybe: "a" may be missing'],
    [object({}), object({ a: text }, []), "yes"],
    [object({}, [], true), object({ a: text }), "yes"],
    [object({ a: text, b: text }), object({ a: text }), 'no: there is no member "b"'],
    [object({ a: text, b: text }), object({ a: text }, ["a"], true), "yes"],
    [
      object({ a: { type: "integer" } }),
      object({ a: text }),
      "no: a it is a whole number instead of text",
    ],
    [
      text,
      { anyOf: [{ type: "number" }, object({ a: text })] },
      "no: it is text instead of a number or an object with a",
    ],
    [
      { $ref: "#/$defs/x", $defs: { x: text } },
      { type: "number" },
      "no: it is text instead of a number",
    ],
    [{ allOf: [object({ a: text }), object({ b: text })] }, object({ a: text, b: text }), "yes"],
  ])("%j as %j", (given, wanted, expected) => {
    expect(fit(given, wanted)).toBe(expected);
  });

  it("recursive schemas end", () => {
    const tree: JsonSchema = {
      $ref: "#/$defs/tree",
      $defs: { tree: object({ children: { type: "array", items: { $ref: "#/$defs/tree" } } }) },
    };
    expect(fit(tree, tree)).toBe("yes");
  });
});
