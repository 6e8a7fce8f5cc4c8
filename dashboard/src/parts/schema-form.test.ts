import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { FormFields, valuesIn } from "./schema-form.tsx";

type Json = Readonly<Record<string, unknown>>;

const markupOf = (form: Json): string => renderToStaticMarkup(createElement(FormFields, { form }));

/** Controls by their names, each as its tag. */
const controlsOf = (form: Json): Record<string, string> =>
  Object.fromEntries(
    [...markupOf(form).matchAll(/<(?:input|select|textarea)\b[^>]*name="([^"]+)"[^>]*>/g)].map(
      ([tag, name]) => [name, tag],
    ),
  );

/** The fields that a browser sends after a person changed some of them: false clears a box. */
function filledIn(form: Json, changes: Readonly<Record<string, string | false>> = {}): FormData {
  const fields = new FormData();
  const markup = markupOf(form);
  for (const [name, tag] of Object.entries(controlsOf(form))) {
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

  it("is kept with a box that is unchecked in it alone", () => {
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

describe("a required part of a form", () => {
  it("is given with what its fields begin with", () => {
    const form = object(
      { delivery: object({ days: { type: "integer", default: 3 } }) },
      { required: ["delivery"] },
    );
    expect(valuesIn(form, filledIn(form))).toEqual({ delivery: { days: 3 } });
  });
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
