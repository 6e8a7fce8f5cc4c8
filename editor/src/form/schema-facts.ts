/** Facts that a form reads from a JSON Schema: its own keywords, and the annotations `widget`, `group`, `showIf`, `resource` and `secret`. */
import {
  type BindingKind,
  type Json,
  type JsonObject,
  jsonEquals,
  type JsonSchema,
  readBinding,
} from "@oxbow/declared/check";

export const textOf = (schema: JsonObject, name: string): string | undefined =>
  typeof schema[name] === "string" ? schema[name] : undefined;

export const widgetOf = (schema: JsonObject): string | undefined => textOf(schema, "widget");

/** The JSON types that a schema accepts; undefined for any. */
export function typesOf(schema: JsonObject): readonly string[] | undefined {
  const { type, enum: values } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type as readonly string[];
  if (Array.isArray(values)) return [...new Set(values.map((value) => typeof value as string))];
  return undefined;
}

/** The resource type whose ids a schema accepts. */
export const resourceOf = (schema: JsonObject): string | undefined =>
  textOf(schema, "resource") ?? textOf(schema, "x-resource");

const isSecret = (schema: JsonObject): boolean =>
  schema["secret"] === true || widgetOf(schema) === "secret";

export interface Property {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/**
 * The named members of an object's schema, in the order that its annotation `order` gives, which outlasts a database
 * that keeps no order; undefined if it names no members.
 */
export function propertiesOf(schema: JsonObject): readonly Property[] | undefined {
  const { properties, required, order } = schema;
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) {
    return undefined;
  }
  const names = new Set(Array.isArray(required) ? (required as readonly Json[]) : []);
  const members = properties as Readonly<Record<string, JsonSchema>>;
  const ordered = Array.isArray(order) ? (order as readonly Json[]) : [];
  const first = new Set(
    ordered.filter((name) => typeof name === "string" && Object.hasOwn(members, name)) as string[],
  );
  return [...first, ...Object.keys(members).filter((name) => !first.has(name))].map((name) => ({
    name,
    schema: members[name] ?? true,
    isRequired: names.has(name),
  }));
}

/** Whether a field is shown next to its siblings: `showIf` names values that they must have, one or any of a list. */
export function isShown(schema: JsonObject, siblings: Json | undefined): boolean {
  const { showIf: condition } = schema;
  if (typeof condition !== "object" || condition === null || Array.isArray(condition)) return true;
  const values = (
    typeof siblings === "object" && siblings !== null && !Array.isArray(siblings) ? siblings : {}
  ) as JsonObject;
  return Object.entries(condition as JsonObject).every(([name, wanted]) => {
    const given = values[name];
    const accepted = Array.isArray(wanted) ? (wanted as readonly Json[]) : [wanted];
    return accepted.some((each) => jsonEquals(each, given ?? null));
  });
}

/** A title for a member without one: `idempotencyKey` → "Idempotency key". */
export function titleFor(name: string, schema: JsonObject): string {
  const given = textOf(schema, "title");
  if (given !== undefined) return given;
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .toLowerCase();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

export type Mode = "value" | Exclude<BindingKind, "literal">;

/** How a field with this schema can get its value. */
export function modesFor(schema: JsonObject, allowsSecrets: boolean): readonly Mode[] {
  const types = typesOf(schema);
  const takesText = types === undefined || types.includes("string");
  return [
    "value",
    "path",
    ...(takesText ? (["text"] as const) : []),
    "cel",
    ...(takesText && allowsSecrets ? (["secret"] as const) : []),
    "config",
    ...(takesText ? (["resource"] as const) : []),
  ];
}

/** How a value is given. */
export function modeOf(value: Json | undefined): Mode {
  const kind = readBinding(value)?.kind;
  return kind === undefined || kind === "literal" ? "value" : kind;
}

/** How a field without a value is given one, unless the user chooses. */
export function firstMode(schema: JsonObject): Mode {
  if (resourceOf(schema) !== undefined) return "resource";
  if (isSecret(schema)) return "secret";
  return widgetOf(schema) === "reference" ? "path" : "value";
}
