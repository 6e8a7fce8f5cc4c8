/**
 * Values that JSON would replace or empty without an error: `NaN` becomes null, a `Map` becomes `{}`, an `Error` loses its
 * message. Members that are `undefined` or functions are left out, and in lists become null, as documented of JSON: they are
 * no data.
 */
import { withArticle } from "./article.ts";
import { childPath, type Misfit } from "./json-path.ts";

/**
 * Returns whether JSON keeps everything of a value; false if that takes a closer look, which `refusingLosses` takes. Most values
 * are plain data, so this is all that they cost.
 */
export function isPlainData(value: unknown, deepest: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return typeof value !== "symbol";
  if (deepest === 0) return false;
  if (Array.isArray(value)) {
    for (const element of value as readonly unknown[]) {
      if (!isPlainData(element, deepest - 1)) return false;
    }
    return true;
  }
  if (!isPlainObject(value)) {
    return value instanceof Date && Number.isFinite(value.getTime());
  }
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return false;
  // An array of all keys would cost more. Inherited keys make no difference.
  for (const key in value) {
    if (!isPlainData((value as Record<string, unknown>)[key], deepest - 1)) return false;
  }
  return Object.getOwnPropertySymbols(value).length === 0;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * The replacer for `JSON.stringify` of values that are no plain data. It sees what their `toJSON` methods return.
 *
 * @param refuse - Is called with the first loss, and throws.
 */
export function refusingLosses(
  refuse: (loss: Misfit) => never,
): (this: unknown, key: string, value: unknown) => unknown {
  const paths = new Map<unknown, string>();
  return function check(key, value) {
    const above = paths.get(this);
    const path =
      above === undefined ? "$" : childPath(above, Array.isArray(this) ? Number(key) : key);
    const problem = lossOf(value, (this as Readonly<Record<string, unknown>>)[key]);
    if (problem !== undefined) refuse({ path, problem });
    if (typeof value === "object" && value !== null) paths.set(value, path);
    return value;
  };
}

/** @param origin - The value before its `toJSON` was called. */
function lossOf(value: unknown, origin: unknown): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return `is ${value}, which JSON can't represent: give a finite number, a string or null`;
  }
  if (typeof value === "symbol") return "is a symbol: give a string";
  if (value === null && origin instanceof Date) {
    return "is an invalid Date: give a valid one, or null";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const symbol = Object.getOwnPropertySymbols(value).find((own) =>
    Object.prototype.propertyIsEnumerable.call(value, own),
  );
  if (symbol !== undefined && isPlainObject(value)) {
    return `has the key ${String(symbol)}, which JSON leaves out: give a string as the key`;
  }
  return remedyOf(value);
}

/** The loss of objects that keep what they hold elsewhere than in properties. */
function remedyOf(value: object): string | undefined {
  const kind = kindOf(value);
  switch (kind) {
    case "Object":
    case "Module":
    case "Arguments":
    case "String":
    case "Boolean":
    case "BigInt":
      return undefined;
    case "Number":
      return lossOf(Number(value), undefined);
    case "Map":
      return "is a Map, of which JSON keeps nothing: give Object.fromEntries(map) or [...map]";
    case "Set":
      return "is a Set, of which JSON keeps nothing: give [...set]";
    case "Promise":
      return "is a Promise, of which JSON keeps nothing: await it";
    case "Error":
      return "is an Error, whose message JSON leaves out: give its message";
    default:
      // Classes of the program may have a tag, and properties.
      if (Object.keys(value).length > 0 && !ArrayBuffer.isView(value)) return undefined;
      return `is ${withArticle(kind)}, which JSON can't represent: give plain data, or a codec that encodes it`;
  }
}

/** Such as "Map", also of another realm. */
function kindOf(value: object): string {
  if (value instanceof Error) return "Error";
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}
