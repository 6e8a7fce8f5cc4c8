/** Parses arguments of commands. Errors quote the argument and show a valid one. */
import { findInexactNumber, hasRealDay, parseDuration } from "@oxbow/sdk/internal/server";
import { text as readAll } from "node:stream/consumers";
import { usageError } from "./exit-codes.ts";
import { messageOf } from "../message-of.ts";

const quoted = (text: string): string => `"${text.length > 60 ? `${text.slice(0, 59)}…` : text}"`;

/** Parses JSON; "-" reads it from standard input. */
export async function readJson(given: string | undefined, what: string): Promise<unknown> {
  if (given === undefined) return undefined;
  if (given !== "-") return parseJson(given, what);
  if (process.stdin.isTTY) process.stderr.write(`Reading ${what} as JSON, until Ctrl-D:\n`);
  return parseJson(await readAll(process.stdin), `${what} on standard input`);
}

export function parseJson(text: string, what: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(
      `Invalid JSON for ${what}: ${quoted(text)} (${messageOf(error)}). ` +
        `Quote it for the shell: '{"key": "value"}' for an object, '"text"' for a string, - to read standard input.`,
    );
  }
  const inexact = findInexactNumber(text);
  if (inexact === undefined) return value;
  throw usageError(`Invalid JSON for ${what}: ${inexact.path} ${inexact.problem}.`);
}

export function parseObject(text: string, what: string): Record<string, unknown> {
  const value = parseJson(text, what);
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw usageError(`Invalid ${what} ${quoted(text)}: give a JSON object, like '{"key": "value"}'.`);
}

/** Collects a repeatable option. */
export const gather = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  value,
];

/** Parses `key=text` and `key:=json` into an object; undefined without any. */
export function parsePairs(
  pairs: readonly string[] | undefined,
  option: string,
): Record<string, unknown> | undefined {
  if (pairs === undefined || pairs.length === 0) return undefined;
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, key, mark, value] = /^([^=:]+)(:?=)([\s\S]*)$/.exec(pair) ?? [];
      if (key === undefined || value === undefined) {
        throw usageError(
          `Invalid ${option} ${quoted(pair)}: give key=text, or key:=json for values that are not strings.`,
        );
      }
      return [key, mark === ":=" ? parseJson(value, `${option} "${key}"`) : value];
    }),
  );
}

/** A whole number of at least `least`. */
export const wholeNumber =
  (option: string, least = 1) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= 2_147_483_647) return value;
    throw usageError(`Invalid ${option} ${quoted(text)}: give a whole number from ${least}.`);
  };

/** A duration like "30s", checked here so that the error names the option. */
export const duration =
  (option: string) =>
  (text: string): string => {
    parseDuration(text, option);
    return text;
  };

/** A time: ISO 8601, or a duration before now (`ago`) or from now (`ahead`). */
export const instant =
  (option: string, direction: "ago" | "ahead") =>
  (text: string): Date => {
    if (/^[\d.]+\s*[a-z]+$/i.test(text)) {
      const ms = parseDuration(text, option);
      return new Date(Date.now() + (direction === "ago" ? -ms : ms));
    }
    const date = new Date(text);
    if (/^\d{4}-\d\d/.test(text) && !Number.isNaN(date.getTime()) && hasRealDay(text)) return date;
    throw usageError(
      `Invalid ${option} ${quoted(text)}: give a time like 2026-01-31T09:00:00Z, or a duration like 30m, which counts from now.`,
    );
  };

/** One of a list of words. */
export const oneOf =
  <Word extends string>(option: string, words: readonly Word[]) =>
  (text: string): Word => {
    const word = words.find((known) => known === text);
    if (word !== undefined) return word;
    throw usageError(`Invalid ${option} ${quoted(text)}: give one of ${words.join(", ")}.`);
  };

/** How a release treats the timers of a copy. */
export const TIMERS = ["fire", "shift", "hold"] as const;
export type Timers = (typeof TIMERS)[number];
