import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { FormFields } from "./form-fields.tsx";
import { misfitOf, valuesIn } from "./form-values.ts";

type Json = Readonly<Record<string, unknown>>;

const markupOf = (form: Json, values?: Json): string =>
  renderToStaticMarkup(createElement(FormFields, { form, values }));

/** Controls by their names, each as its tag. */
const controlsOf = (form: Json, values?: Json): Record<string, string> =>
  Object.fromEntries(
    [
      ...markupOf(form, values).matchAll(/<(?:input|select|textarea)\b[^>]*name="([^"]+)"[^>]*>/g),
    ].map(([tag, name]) => [name, tag]),
  );

/** The fields that a browser sends after a person changed some of them: false clears a box. */
function filledIn(
  form: Json,
  changes: Readonly<Record<string, string | false>> = {},
  values?: Json,
): FormData {
  const fields = new FormData();
  const markup = markupOf(form, values);
  for (const [name, tag] of Object.entries(controlsOf(form, values))) {
    const change = changes[name];
    if (tag.includes('type="checkbox"')) {
      if (change === "on" || (change === undefined && tag.includes("checked"))) {
        fields.set(name, "on");
      }
      continue;
    }
    const begun = tag.startsWith("<input")
      ? /value="([^"]*)"/.exec(tag)?.[1]
      : tag.startsWith("<textarea")
        ? markup.slice(markup.indexOf(tag) + tag.length).split("</textarea>")[0]
        : /<option value="([^"]*)" selected/.exec(
            markup.slice(markup.indexOf(tag)).split("</select>")[0] ?? "",
          )?.[1];
    fields.set(name, String(change ?? begun ?? "").replaceAll("&quot;", '"'));
  }
  return fields;
}

const text = { type: "string" };
const object = (properties: Json, more: Json = {}): Json => ({
  type: "object",
  properties,
  ...more,
});

describe("an optional part of a form", () => {
  it("may be left empty, though a field is required within it", () => {
    const billing = object({ vat: text }, { required: ["vat"] });
    const optional = object({ billing });
    expect(controlsOf(optional)["field-0-0"]).not.toContain("required");
    expect(valuesIn(optional, filledIn(optional))).toEqual({});

    const required = object({ billing }, { required: ["billing"] });
    expect(controlsOf(required)["field-0-0"]).toContain("required");

    // A required part of an optional one.
    const within = object({ customer: required });
    expect(controlsOf(within)["field-0-0-0"]).not.toContain("required");
    expect(valuesIn(within, filledIn(within, { "field-0-0-0": "IE7" }))).toEqual({
      customer: { billing: { vat: "IE7" } },
    });
  });

  it("is left out while its fields are as they began", () => {
    const form = object({
      delivery: object({
        speed: { enum: ["slow", "fast"], default: "slow" },
        days: { type: "integer", default: 3 },
        isGift: { type: "boolean", default: true },
        labels: { type: "array", default: ["new"] },
        note: { type: "string", default: " by hand " },
      }),
    });
    expect(valuesIn(form, filledIn(form))).toEqual({});
    expect(valuesIn(form, filledIn(form, { "field-0-1": "4" }))).toEqual({
      delivery: { speed: "slow", days: 4, isGift: true, labels: ["new"], note: "by hand" },
    });
  });

  it("is kept with a box that is unchecked only in it", () => {
    const form = object({ news: object({ isWanted: { type: "boolean", default: true } }) });
    expect(valuesIn(form, filledIn(form))).toEqual({});
    expect(valuesIn(form, filledIn(form, { "field-0-0": false }))).toEqual({
      news: { isWanted: false },
    });
  });

  it("is kept with a value that was emptied, and left out if no choice is its default", () => {
    const days = { type: "integer", default: 3 };
    const kept = object({ delivery: object({ days }) });
    expect(valuesIn(kept, filledIn(kept, { "field-0-0": "" }))).toEqual({ delivery: {} });
    const unknown = object({ delivery: object({ speed: { enum: ["slow"], default: "odd" } }) });
    expect(valuesIn(unknown, filledIn(unknown))).toEqual({});
  });
});

it("a required part of a form is given with what its fields begin with", () => {
  const form = object(
    { delivery: object({ days: { type: "integer", default: 3 } }) },
    { required: ["delivery"] },
  );
  expect(valuesIn(form, filledIn(form))).toEqual({ delivery: { days: 3 } });
});

describe("an object within a form", () => {
  it("is JSON if it has a default itself", () => {
    const form = object({ limits: object({ most: text }, { default: { most: "7", least: "1" } }) });
    expect(controlsOf(form)["field-0"]).toMatch(/^<textarea/);
    expect(valuesIn(form, filledIn(form))).toEqual({ limits: { most: "7", least: "1" } });
  });

  it.each([
    { additionalProperties: true },
    { additionalProperties: { type: "number" } },
    { patternProperties: { "^x-": {} } },
    { required: ["other"] },
  ])("is JSON if it has members without a field: %o", (more) => {
    const form = object({ extra: object({ known: text }, more) });
    expect(Object.keys(controlsOf(form))).toEqual(["field-0"]);
    const fields = filledIn(form, { "field-0": '{"known": "a", "other": 7}' });
    expect(valuesIn(form, fields)).toEqual({ extra: { known: "a", other: 7 } });
  });

  it.each([{}, { additionalProperties: false }])("has fields if it has no others: %o", (more) => {
    const form = object({ extra: object({ known: text }, more) });
    expect(Object.keys(controlsOf(form))).toEqual(["field-0-0"]);
  });
});

describe("a value that may be null", () => {
  const nullable = (schema: Json): Json => ({ anyOf: [schema, { type: "null" }] });

  it.each([
    ["by a list of types", { type: ["string", "null"] }, /^<input(?!.*type=)/, "Ada", "Ada"],
    ["by a union", nullable(text), /^<input(?!.*type=)/, "Ada", "Ada"],
    ["a number", { type: ["integer", "null"], minimum: 1 }, /^<input.*min="1"/, "7", 7],
    ["one of a list", nullable({ enum: ["slow", "fast"] }), /^<select/, "fast", "fast"],
    ["one of a list with null", { enum: ["slow", null] }, /^<select/, "slow", "slow"],
    [
      "one of a union of values",
      { oneOf: [{ const: "slow" }, { const: "fast" }, { type: "null" }] },
      /^<select/,
      "slow",
      "slow",
    ],
    ["yes or no", { type: ["boolean", "null"] }, /^<select/, "false", false],
  ])("has the field of its other values: %s", (_how, schema, control, typed, value) => {
    const form = object({ it: schema }, { required: ["it"] });
    const own = controlsOf(form)["field-0"];
    expect(own).toMatch(control);
    // An empty field is no value, so that a browser doesn't ask for one.
    expect(own).not.toContain("required");
    expect(markupOf(form)).toContain("no value");
    expect(valuesIn(form, filledIn(form))).toEqual({ it: null });
    expect(valuesIn(form, filledIn(form, { "field-0": typed }))).toEqual({ it: value });
  });

  it("is left out with an empty field if it may be", () => {
    const form = object({ note: { type: ["string", "null"], default: null } });
    expect(valuesIn(form, filledIn(form))).toEqual({});
  });

  it("may be an object, which is null while its fields are empty", () => {
    const form = object(
      { billing: nullable(object({ vat: text }, { required: ["vat"] })) },
      { required: ["billing"] },
    );
    expect(controlsOf(form)["field-0-0"]).not.toContain("required");
    expect(valuesIn(form, filledIn(form))).toEqual({ billing: null });
    expect(valuesIn(form, filledIn(form, { "field-0-0": "IE7" }))).toEqual({
      billing: { vat: "IE7" },
    });
  });

  it("is JSON if it is one of several others", () => {
    const form = object({ it: { anyOf: [text, { type: "number" }, { type: "null" }] } });
    expect(controlsOf(form)["field-0"]).toMatch(/^<textarea/);
  });
});

describe("values that were entered before", () => {
  const form = object(
    {
      name: text,
      nights: { type: "integer", default: 1 },
      isGift: { type: "boolean", default: true },
      speed: { enum: ["slow", "fast"] },
      note: { type: ["string", "null"] },
      labels: { type: "array" },
      billing: object({ vat: text }),
    },
    { required: ["name", "note"] },
  );

  it("are those that the fields begin with, and come back as they were", () => {
    const values = {
      name: "Ada",
      note: null,
      nights: 3,
      isGift: false,
      speed: "fast",
      labels: ["a"],
      billing: { vat: "IE7" },
    };
    expect(misfitOf(form, values)).toBeUndefined();
    expect(valuesIn(form, filledIn(form, {}, values))).toEqual(values);
  });

  it("keep a part that was given, though its fields are as they began", () => {
    const sender = object({
      insured: { type: "boolean" },
      name: { type: "string", default: "Ada" },
    });
    const empty = object({ vat: text });
    for (const required of [[], ["sender", "billing"]]) {
      const parts = object(
        {
          sender: { anyOf: [sender, { type: "null" }] },
          billing: empty,
          around: object({ empty }),
        },
        { required },
      );
      const values = {
        sender: { insured: false, name: "Ada" },
        billing: {},
        around: { empty: {} },
      };
      expect(misfitOf(parts, values)).toBeUndefined();
      expect(valuesIn(parts, filledIn(parts, {}, values))).toEqual(values);
      expect(valuesIn(parts, filledIn(parts, {}, { ...values, around: {} }))).toEqual({
        ...values,
        around: {},
      });
    }
  });

  it("keep line breaks only in a field of several lines", () => {
    const lines = object({ line: text, lines: { type: "string", widget: "textarea" } });
    const values = { lines: "a\nb" };
    expect(misfitOf(lines, values)).toBeUndefined();
    expect(valuesIn(lines, filledIn(lines, {}, values))).toEqual(values);
    for (const changed of [{ line: "a\nb" }, { line: "a\rb" }, { lines: "a\r\nb" }]) {
      const [name] = Object.keys(changed);
      expect(misfitOf(lines, changed)).toBe(`The form has no field for this value of "${name}".`);
    }
  });

  it("are texts, numbers and null as they were in a field for JSON", () => {
    const any = object({ it: { anyOf: [text, { type: "number" }] } });
    for (const value of ["7", "a b", 7, null, ["7"]]) {
      expect(misfitOf(any, { it: value })).toBeUndefined();
      expect(valuesIn(any, filledIn(any, {}, { it: value }))).toEqual({ it: value });
    }
    // An empty field stands for null, and leaves out what may be left out.
    const nullable = object({ it: { anyOf: [text, { type: "number" }, { type: "null" }] } });
    const more = object({ it: { type: ["array", "null"] } });
    expect(misfitOf(nullable, { it: null })).toBeUndefined();
    expect(misfitOf(more, { it: null })).toBe('The form has no field for this value of "it".');
  });

  it.each([
    [[], "The form is for an object."],
    [{ age: 7 }, 'The form has no field for "age".'],
    [{ name: 7 }, 'The form has no field for this value of "name".'],
    [{ name: "" }, 'The form has no field for this value of "name".'],
    [{ name: null }, 'The form has no field for this value of "name".'],
    [{ nights: "3" }, 'The form has no field for this value of "nights".'],
    [{ isGift: "yes" }, 'The form has no field for this value of "isGift".'],
    [{ speed: "late" }, 'The form has no field for this value of "speed".'],
    [{ billing: { other: "DE1" } }, 'The form has no field for "other".'],
    [{ billing: null }, 'The form has no field for this value of "billing".'],
  ])("are kept as JSON if a field would change them: %o", (values, problem) => {
    expect(misfitOf(form, values)).toBe(problem);
  });
});
