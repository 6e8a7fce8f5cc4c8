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
  new Shape(problems).check(schema, value, pointer);
}

class Shape {
  private readonly problems: Problem[];

  constructor(problems: Problem[]) {
    this.problems = problems;
  }

  check(schema: ShapeSchema, value: unknown, pointer: string): void {
    const { anyOf, const: only, enum: choices, type, format } = schema;
    if (anyOf !== undefined) {
      this.any(anyOf, value, pointer);
      return;
    }
    if (only !== undefined && !jsonEquals(only, value)) {
      const wanted = JSON.stringify(only);
      const message = `${shown(value)} is not ${wanted}`;
      this.report(pointer, "WRONG_VALUE", message, `Write ${wanted}.`);
      return;
    }
    if (choices?.some((each) => jsonEquals(each, value)) === false) {
      const list = choices.map((each) => JSON.stringify(each)).join(", ");
      const message = `${shown(value)} is not one of ${list}`;
      this.report(pointer, "WRONG_VALUE", message, `Choose one of ${list}.`);
      return;
    }
    if (type !== undefined && ![type].flat().some((each) => isOfType(value, each))) {
      const wanted = [type].flat().join(" or ");
      const message = `${shown(value)} is not of type ${wanted}`;
      this.report(pointer, "WRONG_TYPE", message, `Give ${withArticle(wanted)}.`);
      return;
    }
    if (format === "binding") this.binding(value, pointer, 0);
    if (format === "duration" && !isDuration(value)) {
      const hint =
        'Give milliseconds as a number, or text with a unit like "30s", "5m", "1.5h" or "7d".';
      this.report(pointer, "INVALID_DURATION", `${shown(value)} is not a duration`, hint);
    }
    if (typeof value === "string") this.text(schema, value, pointer);
    else if (typeof value === "number") this.number(schema, value, pointer);
    else if (Array.isArray(value)) this.items(schema, value, pointer);
    else if (isObject(value)) this.members(schema, value, pointer);
  }

  /** Reports the problems of the alternative that has a type in common with the value, else that no alternative fits. */
  private any(alternatives: readonly ShapeSchema[], value: unknown, pointer: string): void {
    let closest: readonly Problem[] = [];
    for (const [at, alternative] of alternatives.entries()) {
      const found: Problem[] = [];
      checkShape(alternative, value, pointer, found);
      if (found.length === 0) return;
      const isDeeper = found.every((problem) => problem.pointer !== pointer);
      if (at === 0 || isDeeper) closest = found;
    }
    this.problems.push(...closest);
  }

  private text(schema: ShapeSchema, value: string, pointer: string): void {
    const { pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
    if (value.length < minLength) {
      this.report(pointer, "TOO_SHORT", "the text is empty", "Write a text.");
    }
    if (value.length > maxLength) {
      const message = `the text has ${value.length} characters`;
      this.report(pointer, "TOO_LONG", message, `Use at most ${maxLength} characters.`);
    }
    if (pattern !== undefined && !new RegExp(pattern).test(value)) {
      const message = `${shown(value)} doesn't match ${pattern}`;
      this.report(pointer, "INVALID_NAME", message, `Choose a name that matches ${pattern}.`);
    }
  }

  private number(schema: ShapeSchema, value: number, pointer: string): void {
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
    if (!(value < minimum || value > maximum)) return;
    const hint = `Give a number from ${minimum} to ${maximum}.`;
    this.report(pointer, "OUT_OF_RANGE", `${value} is out of range`, hint);
  }

  private items(schema: ShapeSchema, value: readonly unknown[], pointer: string): void {
    const { items, maxItems = Number.POSITIVE_INFINITY } = schema;
    if (value.length > maxItems) {
      const hint = `Use at most ${maxItems} items.`;
      this.report(pointer, "TOO_MANY", `there are ${value.length} items`, hint);
      return;
    }
    const seen = new Map<string, number>();
    for (const [at, item] of value.entries()) {
      const own = childPointer(pointer, at);
      if (items !== undefined) this.check(items, item, own);
      if (schema.uniqueItems !== true) continue;
      const text = JSON.stringify(sorted(item));
      const first = seen.get(text);
      if (first === undefined) seen.set(text, at);
      else this.report(own, "DUPLICATE", `this repeats item ${first}`, "Remove one of the two.");
    }
  }

  private members(
    schema: ShapeSchema,
    value: Readonly<Record<string, unknown>>,
    pointer: string,
  ): void {
    const { properties = {}, additionalProperties, propertyNames, required = [] } = schema;
    const names = Object.keys(value);
    for (const name of required.filter((each) => !Object.hasOwn(value, each))) {
      const hint = `Add the member "${name}".`;
      this.report(pointer, "MISSING_MEMBER", `"${name}" is missing`, hint);
    }
    const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
    if (names.length < minProperties) {
      this.report(pointer, "TOO_FEW", "there is no member", "Add at least one.");
    }
    if (names.length > maxProperties) {
      const hint = `Use at most ${maxProperties}.`;
      this.report(pointer, "TOO_MANY", `there are ${names.length} members`, hint);
      return;
    }
    for (const name of names) {
      const own = childPointer(pointer, name);
      if (propertyNames !== undefined) this.check(propertyNames, name, own);
      const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      if (known === false) {
        const hint = `Remove it; the members are ${Object.keys(properties).join(", ")}.`;
        this.report(own, "UNKNOWN_MEMBER", `there is no member "${name}" here`, hint);
      } else if (known !== undefined) this.check(known, value[name], own);
    }
  }

  /** Bindings at any depth; a value that JSON can't represent is a problem as well. */
  private binding(value: unknown, pointer: string, depth: number): void {
    if (depth > DEEPEST) {
      const message = `this is nested more than ${DEEPEST} levels deep`;
      this.report(pointer, "TOO_DEEP", message, "Nest it less deeply.");
      return;
    }
    if (typeof value !== "object" || value === null) {
      if (value === null || ["string", "boolean"].includes(typeof value)) return;
      if (Number.isFinite(value)) return;
      const message = `a value of type ${typeof value} is not JSON`;
      this.report(pointer, "NOT_JSON", message, "Give JSON.");
      return;
    }
    const fault = isObject(value) ? bindingFault(value as JsonObject) : undefined;
    if (fault !== undefined) {
      const hint =
        'Write a binding as an object of one member, like {"$path": "input.id"}; {"$literal": …} escapes an object.';
      this.report(pointer, "INVALID_BINDING", `the binding ${fault}`, hint);
      return;
    }
    if (isObject(value) && "$literal" in value) return;
    const members = Array.isArray(value) ? value.entries() : Object.entries(value);
    for (const [name, member] of members) {
      this.binding(member, childPointer(pointer, name), depth + 1);
    }
  }

  private report(pointer: string, code: string, message: string, hint: string): void {
    this.problems.push(errorAt(pointer, code, message, hint));
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
