/** Converts values of requests to those of the SDK. */
import { hasRealDay, parseDuration, toStorableText } from "@oxbow/sdk/internal/server";
import { checkNumbers } from "./exact-json.ts";
import { invalidRequest } from "./problems.ts";

/** Milliseconds of a duration; numbers are seconds. */
export const toMs = (length: number | string, what: string): number =>
  typeof length === "number" ? Math.ceil(length * 1_000) : parseDuration(asText(length), what);

/** In a query string, "30" is seconds too. */
const asText = (length: string): string => (/^[\d.]+$/.test(length) ? `${length}s` : length);

/** JSON text of a value that the database can store. */
export const toText = (value: unknown, what: string): string | undefined =>
  toStorableText(value, what);

/** Like `toText`, for a required value. */
export const toRequiredText = (value: unknown, what: string): string =>
  toText(value, what) ?? "null";

/** Checks JSON text in a query string. */
export function toJsonText(text: string, what: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    checkNumbers(text, what);
    return toText(value, what);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidRequest(`${what} is "${text.slice(0, 40)}": give JSON, like {"kind": "mail"}.`);
  }
}

/** An instant or a day, as ISO 8601. */
export function toInstant(text: string, what: string): string {
  const isIso = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/.test(text);
  const time = new Date(text);
  if (!isIso || Number.isNaN(time.getTime()) || !hasRealDay(text)) {
    throw invalidRequest(
      `${what} is "${text.slice(0, 40)}": give a day or an instant of ISO 8601, like 2026-05-01 or 2026-05-01T12:00:00Z.`,
    );
  }
  return time.toISOString();
}

/** Converts `input.user.id=42` of a query to `{"user": {"id": 42}}`, which the input must contain. */
export function toContainment(
  query: Readonly<Record<string, unknown>>,
  prefix: string,
): Record<string, unknown> | undefined {
  const conditions = Object.entries(query).filter(([key]) => key.startsWith(`${prefix}.`));
  if (conditions.length === 0) return undefined;
  const containment: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of conditions) {
    const path = key.slice(prefix.length + 1).split(".");
    if (path.includes("") || path.length > 20) {
      throw invalidRequest(`${key.slice(0, 80)} is not a path like ${prefix}.user.id.`);
    }
    place(containment, path, parseLoosely(Array.isArray(value) ? value.at(-1) : value, key));
  }
  return containment;
}

function place(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key = "", ...rest] = path;
  if (rest.length === 0) {
    define(target, key, value);
    return;
  }
  const there = Object.hasOwn(target, key) ? target[key] : undefined;
  const next =
    typeof there === "object" && there !== null && !Array.isArray(there)
      ? (there as Record<string, unknown>)
      : (Object.create(null) as Record<string, unknown>);
  define(target, key, next);
  place(next, rest, value);
}

/** Defines a property of any name, `__proto__` included. */
const define = (target: Record<string, unknown>, key: string, value: unknown): void => {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
};

/** Parses JSON, or keeps the text: `42` is a number, `"42"` and `abc` are strings. */
function parseLoosely(value: unknown, key: string): unknown {
  const text = String(value);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return text;
  }
  checkNumbers(text, key.slice(0, 80));
  return parsed;
}
