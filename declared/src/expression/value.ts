/** Values of expressions: JSON, objects with keys that aren't text, times and durations. */
import type { Json } from "../document/json.ts";
import { EXPRESSION_LIMITS } from "./limits.ts";
import { Instant, Span } from "./time.ts";

export type Value =
  | null
  | boolean
  | number
  | string
  | Instant
  | Span
  | readonly Value[]
  | ReadonlyMap<Key, Value>
  | JsonMap;

/** An object of JSON, as it comes from outside. */
export interface JsonMap {
  readonly [member: string]: Value;
}

export type Key = boolean | number | string;

export type ValueKind =
  | "null"
  | "boolean"
  | "number"
  | "text"
  | "time"
  | "duration"
  | "list"
  | "object";

export function kindOf(value: Value): ValueKind {
  if (value === null) return "null";
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  if (Array.isArray(value)) return "list";
  if (value instanceof Instant) return "time";
  return value instanceof Span ? "duration" : "object";
}

/** A value with its article, for messages. */
export function described(kind: ValueKind): string {
  if (kind === "null" || kind === "text") return kind;
  return kind === "object" ? "an object" : `a ${kind}`;
}

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

export const isMap = (value: Value): value is ReadonlyMap<Key, Value> | JsonMap =>
  kindOf(value) === "object";

/** The value of a member; undefined if it is missing. */
export function memberOf(map: ReadonlyMap<Key, Value> | JsonMap, key: Key): Value | undefined {
  if (map instanceof Map) return (map as ReadonlyMap<Key, Value>).get(key);
  return typeof key === "string" && Object.hasOwn(map, key) ? (map as JsonMap)[key] : undefined;
}

export function keysOf(map: ReadonlyMap<Key, Value> | JsonMap): readonly Key[] {
  return map instanceof Map ? [...(map as ReadonlyMap<Key, Value>).keys()] : Object.keys(map);
}

/** Values come in as JSON; dates are times. */
export function fromOutside(value: unknown): Value {
  return value instanceof Date
    ? new Instant(BigInt(value.getTime()) * 1_000_000n)
    : (value as Value);
}

/** Adds to the cost of an evaluation, and ends it if that is too much. */
export type Charge = (cost: number) => void;

/** The cost of comparing, copying or searching a text. */
export const costOf = (text: string): number => text.length >> 4;

/** Equality of CEL: by content, and false for values of different kinds. */
export function equals(left: Value, right: Value, charge: Charge): boolean {
  charge(1);
  if (typeof left === "string" && typeof right === "string") {
    // Texts of different lengths are different without being read.
    if (left.length === right.length) charge(costOf(left));
    return left === right;
  }
  if (left === right) return true;
  if (left instanceof Instant) return right instanceof Instant && left.nanos === right.nanos;
  if (left instanceof Span) return right instanceof Span && left.nanos === right.nanos;
  if (isList(left)) {
    return (
      isList(right) &&
      left.length === right.length &&
      left.every((item, at) => equals(item, right[at] ?? null, charge))
    );
  }
  if (!isMap(left) || !isMap(right)) return false;
  const keys = keysOf(left);
  charge(keys.length);
  return (
    keys.length === keysOf(right).length &&
    keys.every((key) => {
      const other = memberOf(right, key);
      return other !== undefined && equals(memberOf(left, key) ?? null, other, charge);
    })
  );
}

/** Less than, equal to or greater than 0; undefined if the values have no order. */
export function compare(left: Value, right: Value, charge: Charge): number | undefined {
  if (typeof left === "string" && typeof right === "string") {
    charge(costOf(left.length < right.length ? left : right));
    return order(left, right);
  }
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  if (
    (left instanceof Instant && right instanceof Instant) ||
    (left instanceof Span && right instanceof Span)
  ) {
    return order(left.nanos, right.nanos);
  }
  return undefined;
}

function order<T extends string | bigint>(left: T, right: T): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/**
 * Returns a value as JSON: times and durations as text, objects with the keys that JSON has. Throws RangeError if it is
 * too large, or if a key isn't text.
 */
export function toJson(
  value: Value,
  most: number = EXPRESSION_LIMITS.result,
  charge?: Charge,
): Json {
  const size = { left: most };
  const json = convert(value, size, most);
  charge?.((most - size.left) >> 4);
  return json;
}

function convert(value: Value, size: { left: number }, most: number): Json {
  size.left -= typeof value === "string" ? value.length + 2 : 1;
  if (size.left < 0) throw new RangeError(`the result is larger than ${most} characters of JSON`);
  if (value instanceof Instant || value instanceof Span) return value.toString();
  // JSON has one zero: what is journaled and read again is the same value.
  if (typeof value === "number") return value + 0;
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map((item) => convert(item, size, most));
  if (!isMap(value)) return null;
  return Object.fromEntries(
    keysOf(value).map((key) => {
      if (typeof key !== "string") {
        throw new RangeError(`the result has the key ${key}, and keys of JSON are text`);
      }
      size.left -= key.length + 3;
      return [key, convert(memberOf(value, key) ?? null, size, most)];
    }),
  );
}

/** A value as JSON for messages, cut off at a length. */
export function shown(value: Value, longest = 200): string {
  try {
    const text = JSON.stringify(toJson(value, 100 * longest));
    return text.length <= longest ? text : `${text.slice(0, longest)}…`;
  } catch {
    return `${described(kindOf(value))} of many parts`;
  }
}

/** A value as text: lists and objects as JSON, null as no text. */
export function textOf(value: Value): string {
  if (value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value !== "object") return String(value);
  return value instanceof Instant || value instanceof Span
    ? value.toString()
    : JSON.stringify(toJson(value));
}
