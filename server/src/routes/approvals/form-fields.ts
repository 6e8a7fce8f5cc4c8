/** A form without scripts, made from the JSON Schema of a request: its fields, and the values that were filled in. */
import { findInexactNumber } from "@oxbow/sdk/internal/server";
import type { FormValues } from "./form-values.ts";

export interface Field {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly kind: "text" | "long-text" | "number" | "flag" | "choice" | "json";
  readonly isRequired: boolean;
  readonly isWhole: boolean;
  /** As texts. */
  readonly choices: readonly string[];
  readonly initial: string;
}

/** A field that can't be read. */
export class UnreadableField extends Error {
  override readonly name = "UnreadableField";
}

type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function fieldsOf(form: unknown): Field[] {
  if (!isObject(form) || !isObject(form["properties"])) return [];
  const required = new Set(Array.isArray(form["required"]) ? form["required"] : []);
  const { properties } = form;
  return namesInOrder(properties, form).map((name) => {
    const given = properties[name];
    const schema = isObject(given) ? given : {};
    const { title, description, default: initial, enum: choices } = schema;
    const kind = kindOf(schema);
    return {
      name,
      title: typeof title === "string" && title !== "" ? title : name,
      description: typeof description === "string" ? description : "",
      kind,
      isRequired: required.has(name),
      isWhole: schema["type"] === "integer",
      choices: Array.isArray(choices) ? choices.map((choice) => toText(choice)) : [],
      initial: initial === undefined ? "" : kind === "flag" ? onIf(initial) : toText(initial),
    };
  });
}

/** The author's order, which JSON objects in a database don't keep, but lists do: what is required follows, then the rest. */
function namesInOrder(properties: Schema, { order, required }: Schema): readonly string[] {
  const names = Object.keys(properties);
  const listed = [order, required].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  );
  const first = listed.filter((name): name is string => names.includes(name as string));
  return [...new Set([...first, ...names])];
}

function kindOf({ type, enum: choices, widget }: Schema): Field["kind"] {
  if (Array.isArray(choices)) return "choice";
  if (type === "boolean") return "flag";
  if (type === "number" || type === "integer") return "number";
  if (type === "string") return widget === "textarea" ? "long-text" : "text";
  return "json";
}

const onIf = (value: unknown): string => (value === true ? "on" : "");
const toText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

/**
 * The values of a form as it was sent. Fields that were left empty are absent.
 *
 * @param sent By the names of the controls: `f0`, `f1`, …
 * @throws UnreadableField
 */
export function valuesOf(form: unknown, sent: Readonly<Record<string, string>>): FormValues {
  const choicesOf = (name: string): readonly unknown[] => {
    const schema = isObject(form) && isObject(form["properties"]) ? form["properties"][name] : {};
    return isObject(schema) && Array.isArray(schema["enum"]) ? schema["enum"] : [];
  };
  const entries = fieldsOf(form).flatMap((field, index): [string, unknown][] => {
    const text = sent[`f${index}`] ?? "";
    if (field.kind === "flag") return [[field.name, text === "on"]];
    if (text === "") return [];
    if (field.kind === "choice") {
      const chosen = choicesOf(field.name).find((choice) => toText(choice) === text);
      return [[field.name, chosen ?? text]];
    }
    if (field.kind === "number") {
      requireExact(text, field.title);
      return [[field.name, Number(text)]];
    }
    if (field.kind !== "json") return [[field.name, text]];
    try {
      const value: unknown = JSON.parse(text);
      requireExact(text, field.title);
      return [[field.name, value]];
    } catch (error) {
      if (error instanceof UnreadableField) throw error;
      throw new UnreadableField(`"${field.title}" is not valid JSON.`);
    }
  });
  return Object.fromEntries(entries);
}

function requireExact(text: string, title: string): void {
  const found = findInexactNumber(text, "");
  if (found !== undefined) throw new UnreadableField(`"${title}"${found.path} ${found.problem}.`);
}
