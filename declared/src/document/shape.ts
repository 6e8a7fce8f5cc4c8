/**
 * Checks the shape of a value by the part of JSON Schema that the document's own schema needs. Written by hand because
 * it must run in an editor under a strict Content Security Policy, where a validator that compiles by `new Function`
 * can't, and because its messages are for people who edit a graph.
 */
import { bindingFault } from "./binding.ts";
import { isObject, type Json, type JsonObject, jsonEquals } from "./json.ts";
import { childPointer } from "./pointer.ts";
import { errorAt, type Problem } from "./problem.ts";

type TypeName = "object" | "array" | "string" | "number" | "integer" | "boolean";

/** The keywords that are understood, with the meaning of JSON Schema. */
export interface ShapeSchema {
  readonly $id?: string;
  readonly type?: TypeName | readonly TypeName[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly anyOf?: readonly ShapeSchema[];
  /** `duration`: as `Duration` of the SDK. `binding`: JSON whose bindings are well-formed. */
  readonly format?: "duration" | "binding";
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ShapeSchema>>;
  readonly additionalProperties?: ShapeSchema | false;
  readonly propertyNames?: ShapeSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: ShapeSchema;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}

const DEEPEST = 100;

/** Adds the problems of a value to a list. */
export function checkShape(
  schema: ShapeSchema,
  value: unknown,
  pointer: string,
  problems: Problem[],
): void {
  const report = (code: string, message: string, hint: string): void => {
    problems.push(errorAt(pointer, code, message, hint));
  };
  if (schema.anyOf !== undefined) {
    checkAny(schema.anyOf, value, pointer, problems);
    return;
  }
  if (schema.const !== undefined && !jsonEquals(schema.const, value)) {
    const wanted = JSON.stringify(schema.const);
    report("WRONG_VALUE", `${shown(value)} is not ${wanted}`, `Write ${wanted}.`);
    return;
  }
  if (schema.enum?.some((each) => jsonEquals(each, value)) === false) {
    const list = schema.enum.map((each) => JSON.stringify(each)).join(", ");
    report("WRONG_VALUE", `${shown(value)} is not one of ${list}`, `Choose one of ${list}.`);
    return;
  }
  if (schema.type !== undefined && ![schema.type].flat().some((type) => isOfType(value, type))) {
    const wanted = [schema.type].flat().join(" or ");
    report(
      "WRONG_TYPE",
      `${shown(value)} is not of type ${wanted}`,
      `Give ${withArticle(wanted)}.`,
    );
    return;
  }
  if (schema.format === "binding") checkBinding(value, pointer, problems, 0);
  if (schema.format === "duration" && !isDuration(value)) {
    report(
      "INVALID_DURATION",
      `${shown(value)} is not a duration`,
      'Give milliseconds as a number, or text with a unit like "30s", "5m", "1.5h" or "7d".',
    );
  }
  if (typeof value === "string") checkText(schema, value, report);
  else if (typeof value === "number") checkNumber(schema, value, report);
  else if (Array.isArray(value)) checkItems(schema, value, pointer, problems);
  else if (isObject(value)) checkMembers(schema, value, pointer, problems);
}

type Report = (code: string, message: string, hint: string) => void;

/** Reports the problems of the alternative that has a type in common with the value, else that no alternative fits. */
function checkAny(
  alternatives: readonly ShapeSchema[],
  value: unknown,
  pointer: string,
  problems: Problem[],
): void {
  let closest: readonly Problem[] | undefined;
  for (const alternative of alternatives) {
    const found: Problem[] = [];
    checkShape(alternative, value, pointer, found);
    if (found.length === 0) return;
    const isDeeper = found.every((problem) => problem.pointer !== pointer);
    if (closest === undefined || isDeeper) closest = found;
  }
  problems.push(...(closest ?? []));
}

function checkText(schema: ShapeSchema, value: string, report: Report): void {
  const { pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (value.length < minLength) report("TOO_SHORT", "the text is empty", "Write a text.");
  if (value.length > maxLength) {
    report(
      "TOO_LONG",
      `the text has ${value.length} characters`,
      `Use at most ${maxLength} characters.`,
    );
  }
  if (pattern !== undefined && !new RegExp(pattern).test(value)) {
    report(
      "INVALID_NAME",
      `${shown(value)} doesn't match ${pattern}`,
      `Choose a name that matches ${pattern}.`,
    );
  }
}

function checkNumber(schema: ShapeSchema, value: number, report: Report): void {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  if (!(value < minimum || value > maximum)) return;
  report(
    "OUT_OF_RANGE",
    `${value} is out of range`,
    `Give a number from ${minimum} to ${maximum}.`,
  );
}

function checkItems(
  schema: ShapeSchema,
  value: readonly unknown[],
  pointer: string,
  problems: Problem[],
): void {
  const { items, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (value.length > maxItems) {
    problems.push(
      errorAt(
        pointer,
        "TOO_MANY",
        `there are ${value.length} items`,
        `Use at most ${maxItems} items.`,
      ),
    );
    return;
  }
  const seen = new Map<string, number>();
  for (const [at, item] of value.entries()) {
    const own = childPointer(pointer, at);
    if (items !== undefined) checkShape(items, item, own, problems);
    if (schema.uniqueItems !== true) continue;
    const text = JSON.stringify(sorted(item));
    const first = seen.get(text);
    if (first === undefined) seen.set(text, at);
    else {
      const hint = "Remove one of the two.";
      problems.push(errorAt(own, "DUPLICATE", `this repeats item ${first}`, hint));
    }
  }
}

function checkMembers(
  schema: ShapeSchema,
  value: Readonly<Record<string, unknown>>,
  pointer: string,
  problems: Problem[],
): void {
  const { properties = {}, additionalProperties, propertyNames, required = [] } = schema;
  const names = Object.keys(value);
  for (const name of required.filter((each) => !Object.hasOwn(value, each))) {
    problems.push(
      errorAt(pointer, "MISSING_MEMBER", `"${name}" is missing`, `Add the member "${name}".`),
    );
  }
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
  if (names.length < minProperties) {
    problems.push(errorAt(pointer, "TOO_FEW", "there is no member", "Add at least one."));
  }
  if (names.length > maxProperties) {
    const hint = `Use at most ${maxProperties}.`;
    problems.push(errorAt(pointer, "TOO_MANY", `there are ${names.length} members`, hint));
    return;
  }
  for (const name of names) {
    const own = childPointer(pointer, name);
    if (propertyNames !== undefined) checkShape(propertyNames, name, own, problems);
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (known === false) {
      const hint = `Remove it; the members are ${Object.keys(properties).join(", ")}.`;
      problems.push(errorAt(own, "UNKNOWN_MEMBER", `there is no member "${name}" here`, hint));
    } else if (known !== undefined) checkShape(known, value[name], own, problems);
  }
}

/** Bindings at any depth; a value that JSON can't represent is a problem as well. */
function checkBinding(value: unknown, pointer: string, problems: Problem[], depth: number): void {
  if (depth > DEEPEST) {
    const message = `this is nested more than ${DEEPEST} levels deep`;
    problems.push(errorAt(pointer, "TOO_DEEP", message, "Nest it less deeply."));
    return;
  }
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      checkBinding(item, childPointer(pointer, at), problems, depth + 1);
    }
    return;
  }
  if (!isObject(value)) {
    if (value === null || ["string", "boolean"].includes(typeof value) || Number.isFinite(value)) {
      return;
    }
    problems.push(
      errorAt(pointer, "NOT_JSON", `a value of type ${typeof value} is not JSON`, "Give JSON."),
    );
    return;
  }
  const fault = bindingFault(value as JsonObject);
  if (fault !== undefined) {
    problems.push(
      errorAt(
        pointer,
        "INVALID_BINDING",
        `the binding ${fault}`,
        'Write a binding as an object of one member, like {"$path": "input.id"}; {"$literal": …} escapes an object.',
      ),
    );
    return;
  }
  if ("$literal" in value) return;
  for (const [name, member] of Object.entries(value)) {
    checkBinding(member, childPointer(pointer, name), problems, depth + 1);
  }
}

const UNIT =
  "(?:ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|y|yrs?|years?)";
const DURATION = new RegExp(String.raw`^\s*(?:\d+|\d*\.\d+)\s*${UNIT}\s*$`, "i");

function isDuration(value: unknown): boolean {
  return typeof value === "number"
    ? Number.isFinite(value) && value >= 0
    : typeof value === "string" && value.length <= 100 && DURATION.test(value);
}

function isOfType(value: unknown, type: TypeName): boolean {
  switch (type) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return Number.isFinite(value);
    case "string":
    case "boolean":
      return typeof value === type;
    default:
      return type satisfies never;
  }
}

/** With members in the order of their names, at the first level, which is all that edges have. */
const sorted = (value: unknown): unknown =>
  isObject(value) ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : value;

const withArticle = (noun: string): string => (/^[aeio]/.test(noun) ? `an ${noun}` : `a ${noun}`);

const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 80);
