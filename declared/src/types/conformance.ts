/** Whether a value is of a type: what the checker assumed of a schema, verified when the value exists. */
import type { JsonSchema } from "../document/document.ts";
import { isDeeperThan, isObject, type Json, MAX_DEPTH } from "../document/json.ts";
import { typeOfSchema } from "./from-schema.ts";
import { alternativesOf, describe, type ObjectType, type Type } from "./type.ts";

/** References name resources, which are in the catalog: workers don't have it. */
const resolveReference = (): undefined => {};

/**
 * Compares a value with a schema. Schemas of end users are compared as types rather than compiled, so that no pattern of
 * theirs can stop a worker.
 *
 * @param path Of the value, in the answer.
 * @returns The first difference, in plain English; undefined without one.
 */
export function differenceFromSchema(
  value: Json,
  schema: JsonSchema,
  path?: string,
): string | undefined {
  const difference = issueWithSchema(value, schema, path);
  return difference && `${difference.path} ${difference.message}`;
}

/** The first place at which a value is not as its schema requires; undefined for a value that conforms. */
export function issueWithSchema(
  value: Json,
  schema: JsonSchema,
  path = "$",
): Difference | undefined {
  return isDeeperThan(value, MAX_DEPTH)
    ? { path, message: `is nested more than ${MAX_DEPTH} levels deep` }
    : firstDifference(value, typeOfSchema(schema, resolveReference), path);
}

/** A place, and what is wrong with the value there. */
export interface Difference {
  readonly path: string;
  /** Such as "is missing". */
  readonly message: string;
}

/** The first place at which a value differs from a type; undefined if it is of the type. */
export function firstDifference(value: Json, type: Type, path = "$"): Difference | undefined {
  switch (type.kind) {
    case "unknown":
      return undefined;
    case "union":
      return type.of.some((each) => firstDifference(value, each) === undefined)
        ? undefined
        : closestDifference(value, type, path);
    case "list":
      return Array.isArray(value)
        ? firstOf(value, (item: Json, at) => firstDifference(item, type.of, `${path}[${at}]`))
        : differs(value, type, path);
    case "object":
      return isObject(value) ? differenceOfObject(value, type, path) : differs(value, type, path);
    case "text":
      return typeof value === "string" && type.values?.includes(value) !== false
        ? undefined
        : differs(value, type, path);
    case "null":
      return value === null ? undefined : differs(value, type, path);
    case "boolean":
      return typeof value === "boolean" ? undefined : differs(value, type, path);
    case "integer":
      return Number.isInteger(value) ? undefined : differs(value, type, path);
    case "number":
      return typeof value === "number" ? undefined : differs(value, type, path);
    case "time":
    case "duration":
      return typeof value === "string" ? undefined : differs(value, type, path);
    default:
      return type satisfies never;
  }
}

function differenceOfObject(
  value: Readonly<Record<string, Json>>,
  { members, others }: ObjectType,
  path: string,
): Difference | undefined {
  for (const [name, { type, presence }] of members) {
    const at = `${path}.${name}`;
    if (!Object.hasOwn(value, name)) {
      if (presence.kind === "always") return { path: at, message: "is missing" };
      continue;
    }
    const difference = firstDifference(value[name] ?? null, type, at);
    if (difference !== undefined) return difference;
  }
  return firstOf(Object.keys(value), (name) => {
    const at = `${path}.${name}`;
    if (others === undefined)
      return members.has(name) ? undefined : { path: at, message: "is not in the schema" };
    return members.has(name) ? undefined : firstDifference(value[name] ?? null, others, at);
  });
}

/** Returns the difference from the only alternative of a union of the value's own kind, if there is one. */
function closestDifference(value: Json, type: Type, path: string): Difference {
  const kind = Array.isArray(value) ? "list" : isObject(value) ? "object" : undefined;
  const [only, ...more] = alternativesOf(type).filter((each) => each.kind === kind);
  return only === undefined || more.length > 0
    ? differs(value, type, path)
    : (firstDifference(value, only, path) ?? differs(value, type, path));
}

function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item, at: number) => Difference | undefined,
): Difference | undefined {
  for (const [at, item] of items.entries()) {
    const found = find(item, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function differs(value: Json, wanted: Type, path: string): Difference {
  const shown = JSON.stringify(value);
  const short = shown.length > 60 ? `${shown.slice(0, 60)}…` : shown;
  return { path, message: `is ${short} instead of ${describe(wanted)}` };
}
