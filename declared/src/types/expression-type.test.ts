import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../document/document.ts";
import { parseExpression } from "../expression/expression.ts";
import type { Environment } from "./environment.ts";
import { typeOfExpression, typeOfGuard } from "./expression-type.ts";
import { typeOfSchema } from "./from-schema.ts";
import { typeOfPath } from "./path-type.ts";
import { ALWAYS, describe as describeType, objectOf, TEXT, TIME } from "./type.ts";

// Misspelt on purpose: emial, stauts

const line: JsonSchema = {
  type: "object",
  required: ["sku", "price"],
  properties: {
    sku: { type: "string" },
    price: { type: "number" },
    note: { type: "string" },
  },
  additionalProperties: false,
};

const input: JsonSchema = {
  type: "object",
  required: ["name", "age", "lines", "status", "rank", "due", "any", "open", "labels"],
  properties: {
    name: { type: "string" },
    age: { type: "integer" },
    email: { type: "string" },
    rank: { type: ["integer", "null"] },
    mixed: { anyOf: [{ type: "string" }, { type: "number" }] },
    status: { enum: ["open", "closed"] },
    due: { type: "string", format: "date-time" },
    lines: { type: "array", items: line },
    labels: { type: "object", additionalProperties: { type: "string" } },
    any: {},
    open: { type: "object", properties: { a: { type: "string" } } },
    order: { $ref: "resource:Order" },
  },
  additionalProperties: false,
};

const environment: Environment = {
  variables: new Map([
    [
      "input",
      {
        type: typeOfSchema(input, (reference) =>
          reference === "resource:Order" ? line : undefined,
        ),
        presence: ALWAYS,
      },
    ],
    ["run", { type: objectOf({ id: TEXT, started_at: TIME }), presence: ALWAYS }],
    ["now", { type: TIME, presence: { kind: "never", reason: "now is for parameters" } }],
  ]),
};

function typed(text: string): string {
  const { type, problems } = typeOfExpression(parseExpression(text), environment);
  return [
    describeType(type),
    ...problems.map(({ code, severity }) => `${severity === "error" ? "!" : ""}${code}`),
  ].join(" ");
}

describe("types of expressions", () => {
  it.each([
    ["1 + 2", "a whole number"],
    ["1 / 2", "a number"],
    ["input.age + 1", "a whole number"],
    ["input.age * 1.5", "a number"],
    ["'a' + input.name", "text"],
    ["input.name + input.age", "any value !TYPE_MISMATCH"],
    ["input.lines.map(l, l.price).sum()", "a number"],
    ["input.lines.map(l, l.sku)", "a list of text"],
    ["input.lines.filter(l, l.price > 10)", "a list of an object with sku, price, note?"],
    ["input.lines[0].sku", "text"],
    ["input.lines.all(l, l.price)", "a boolean !TYPE_MISMATCH"],
    ["input.lines.exists(l, l.prize > 1)", "a boolean !UNKNOWN_MEMBER"],
    ["input.lines.map(l, l.note)", "a list of text MAY_BE_MISSING"],
    ["input.lines.map(l, has(l.note), l.note)", "a list of text"],
    ["input.emial", "any value !UNKNOWN_MEMBER"],
    ["has(input.emial)", "a boolean UNKNOWN_MEMBER"],
    ["has(input.order.prize)", "a boolean UNKNOWN_MEMBER"],
    ["input.email", "text MAY_BE_MISSING"],
    ["has(input.email) ? input.email : ''", "text"],
    ["has(input.email) && input.email.contains('@')", "a boolean"],
    ["input.email.contains('@') && has(input.email)", "a boolean"],
    ["!has(input.email) || input.email == 'x'", "a boolean"],
    ["has(input.email) || input.email == 'x'", "a boolean MAY_BE_MISSING"],
    ["input.rank > 1", "a boolean MAY_BE_NULL"],
    ["input.rank != null && input.rank > 1", "a boolean"],
    ["input.rank == null || input.rank > 1", "a boolean"],
    ["input.rank == null ? 0 : input.rank", "a whole number"],
    ["input.status == 'opne'", "a boolean NEVER_EQUAL"],
    ["input.status == 'open'", "a boolean"],
    ["input.status in ['open', 'x']", "a boolean"],
    ["input.age == 'x'", "a boolean NEVER_EQUAL"],
    ["input.age == 1.0", "a boolean"],
    ["input.mixed > 1", "a boolean MAY_BE_MISSING MAY_MISMATCH"],
    ["input.due - duration('1h')", "any value !TYPE_MISMATCH"],
    ["timestamp(input.due) - duration('1h')", "a time"],
    ["run.started_at > timestamp(input.due)", "a boolean"],
    ["now", "a time !NEVER_PRESENT"],
    ["input.any.a.b + 1", "a number"],
    ["input.open.b", "any value UNKNOWN_MEMBER"],
    ["input.labels.anything", "text"],
    ["input.labels.map(k, input.labels[k])", "a list of text"],
    ["input.order.price", "a number MAY_BE_MISSING"],
    ["inptu.age", "any value !UNKNOWN_NAME"],
    ["size(input.age)", "any value !TYPE_MISMATCH"],
    ["input.name.size() + size(input.lines)", "a whole number"],
    ["{'a': input.age, 'b': [1, 'x']}", "an object with a, b"],
    ["[1, 'a', null]", `a list of a whole number or "a" or null`],
    ["resource('A', 'b')", "any value !UNKNOWN_NAME"],
    ["input.name.x", "any value !TYPE_MISMATCH"],
    ["input.name && true", "a boolean !TYPE_MISMATCH"],
    ["-input.name", "any value !TYPE_MISMATCH"],
    ["[].all(x, x > 1)", "a boolean"],
  ])("%s", (text, expected) => {
    expect(typed(text)).toBe(expected);
  });

  it("messages name the value, and the remedy", () => {
    const problemOf = (text: string): unknown =>
      typeOfGuard(parseExpression(text), environment).problems[0];
    expect(problemOf("input.due > run.started_at")).toEqual({
      code: "TYPE_MISMATCH",
      severity: "error",
      start: 0,
      end: 26,
      message: "> doesn't apply to text and a time",
      hint: "Write timestamp() around the text.",
    });
    expect(problemOf("input.emial == ''")).toMatchObject({
      message: 'there is no member "emial" for input.emial',
      hint: 'Did you mean "email"?',
      end: 11,
    });
    expect(problemOf("input.email == ''")).toMatchObject({
      message: "input.email may be missing",
      hint: "Ask first: has(input.email) ? input.email : …; or give a $path a default.",
    });
    expect(problemOf("input.name")).toMatchObject({
      message: "a condition must be true or false, and input.name is text",
    });
    expect(problemOf("stauts == 'x'")).toMatchObject({
      message: "there is no stauts here",
      hint: "The names are input, run. Write text in quotes.",
    });
  });

  it("paths have types too, and a default answers what may be missing", () => {
    const path = (
      steps: readonly [string, ...(string | number)[]],
      value?: null | string,
    ): string => {
      const { type, problems } = typeOfPath(
        steps,
        value === undefined ? undefined : { value },
        environment,
      );
      return [describeType(type), ...problems.map(({ code }) => code)].join(" ");
    };
    expect(path(["input", "lines", 0, "sku"])).toBe("text");
    expect(path(["input", "email"])).toBe("text MAY_BE_MISSING");
    expect(path(["input", "email"], null)).toBe("text or null");
    expect(path(["input", "email"], "")).toBe("text");
    expect(path(["input", "emial"], "")).toBe("any value UNKNOWN_MEMBER");
    expect(path(["input", "rank", "x"])).toBe("any value TYPE_MISMATCH");
  });
});
