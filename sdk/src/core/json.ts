/**
 * The journaled form of a value: its JSON, with keys in the order of `jsonb`.
 *
 *   J1  `jsonb` can store every value that `toJournal` accepts: no NUL characters, no lone surrogates, bounded depth and
 *       size.
 *   J2  `value` equals a later read of `text` from a `jsonb` column, down to the order of keys, so that a body that iterates
 *       over an object repeats itself in a replay.
 *   J3  Only `undefined` has no text, and stays `undefined`.
 *   J4  Values that JSON would replace or empty are refused: see `exact-values.ts`.
 */
import { PayloadTooLarge, SerializationError } from "./errors.ts";
import { isPlainData, refusingLosses } from "./exact-values.ts";
import { childPath, type Misfit } from "./json-path.ts";

export const MAX_JSON_BYTES = 16 * 1024 * 1024;
export const MAX_JSON_DEPTH = 1_000;

export interface JournalForm {
  /** The JSON to store; undefined without a value. */
  readonly text: string | undefined;
  /** The value as a later read returns it. */
  readonly value: unknown;
}

/**
 * Serializes a value, and returns the text with the value that a later read returns.
 *
 * @param what - The value, as named in errors.
 * @throws SerializationError with the path of the part that can't be journaled; PayloadTooLarge
 */
export function toJournal(value: unknown, what: string): JournalForm {
  const text = toStorableText(value, what);
  if (text === undefined) return { text, value: undefined };
  return { text, value: readStored(text) };
}

/** Serializes a value without computing the value of a later read. @throws SerializationError, PayloadTooLarge */
export function toStorableText(value: unknown, what: string): string | undefined {
  const text = stringify(value, what);
  if (text === undefined) return undefined;
  checkSize(text, what);
  checkDepth(text, what);
  if (MAYBE_UNSTORABLE.test(text)) checkText(JSON.parse(text), "$", what);
  return text;
}

/** The value that a later read of stored text returns. */
export const readStored = (text: JsonText): unknown => inStoredOrder(JSON.parse(text));

/** Escapes of NUL and of surrogates; also matches text that only looks like one. */
const MAYBE_UNSTORABLE = /\\u(?:0000|d[89a-f])/;

const LONE_SURROGATE = /\p{Surrogate}/u;

function stringify(value: unknown, what: string): string | undefined {
  if (typeof value === "function") throw new SerializationError(what, "$", "is a function");
  try {
    if (isPlainData(value, MAX_JSON_DEPTH)) return JSON.stringify(value);
    const refuse = ({ path, problem }: Misfit): never => {
      throw new SerializationError(what, path, problem);
    };
    return JSON.stringify(value, refusingLosses(refuse));
  } catch (cause) {
    if (cause instanceof SerializationError) throw cause;
    const { path, problem } = diagnose(value, cause);
    throw new SerializationError(what, path, problem, { cause });
  }
}

const tooDeep = `is nested more than ${MAX_JSON_DEPTH} levels deep`;

function checkSize(text: string, what: string): void {
  if (text.length * 3 <= MAX_JSON_BYTES) return;
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= MAX_JSON_BYTES) return;
  throw new PayloadTooLarge(
    `Cannot journal ${what}: it is ${bytes} bytes of JSON, and at most ${MAX_JSON_BYTES} are allowed. ` +
      "Store it elsewhere, and journal where it is.",
    { facts: { what, bytes, maxBytes: MAX_JSON_BYTES } },
  );
}

function checkDepth(text: string, what: string): void {
  if (text.length <= 2 * MAX_JSON_DEPTH) return;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.codePointAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === OPEN_BRACE || char === OPEN_BRACKET) depth += 1;
    else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) depth -= 1;
    if (depth > MAX_JSON_DEPTH) throw new SerializationError(what, "$", tooDeep);
  }
}

const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Where the string that begins here ends. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

/** Throws for text that JSON permits and Postgres can't store. */
function checkText(value: unknown, path: string, what: string): void {
  if (typeof value === "string") {
    const problem = textProblem(value);
    if (problem !== undefined) throw new SerializationError(what, path, `contains ${problem}`);
  } else if (Array.isArray(value)) {
    value.forEach((element, index) => checkText(element, childPath(path, index), what));
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const problem = textProblem(key);
      if (problem !== undefined) {
        throw new SerializationError(what, path, `has a key with ${problem}`);
      }
      checkText(member, childPath(path, key), what);
    }
  }
}

function textProblem(text: string): string | undefined {
  if (text.includes("\u0000")) return "the character \\u0000, which Postgres can't store";
  if (LONE_SURROGATE.test(text)) return "half of a surrogate pair, which is no valid Unicode";
  return undefined;
}

/** The reason why `JSON.stringify` failed. */
function diagnose(value: unknown, cause: unknown): Misfit {
  let found: Misfit | undefined;
  try {
    found = findUnserializable(value);
  } catch {
    // A getter threw `cause`.
  }
  const problem =
    cause instanceof RangeError ? tooDeep : `can't be turned into JSON: ${String(cause)}`;
  return found ?? { path: "$", problem };
}

function findUnserializable(
  value: unknown,
  path = "$",
  above: ReadonlySet<object> = new Set(),
): Misfit | undefined {
  if (typeof value === "bigint") return { path, problem: "is a BigInt: convert it to a string" };
  if (typeof value !== "object" || value === null || hasToJson(value)) return undefined;
  if (above.has(value)) return { path, problem: "refers back to an object that contains it" };
  if (above.size > MAX_JSON_DEPTH) return { path: "$", problem: tooDeep };
  const around = new Set(above).add(value);
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key);
    const memberPath = childPath(path, Array.isArray(value) ? Number(key) : key);
    const found = findUnserializable(member, memberPath, around);
    if (found !== undefined) return found;
  }
  return undefined;
}

const hasToJson = (value: object): boolean =>
  "toJSON" in value && typeof value.toJSON === "function";

/** The value with the keys of each object in the order of `jsonb`: shorter keys first, then by bytes. */
function inStoredOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inStoredOrder);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => compareStoredKeys(a, b));
  return Object.fromEntries(members.map(([key, member]) => [key, inStoredOrder(member)]));
}

function compareStoredKeys(a: string, b: string): number {
  if (isAscii(a) && isAscii(b)) return a.length - b.length || (a < b ? -1 : 1);
  const [left, right] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  if (left.length !== right.length) return left.length - right.length;
  const at = left.findIndex((byte, index) => byte !== right[index]);
  return (left[at] ?? 0) - (right[at] ?? 0);
}

// eslint-disable-next-line no-control-regex -- matches all of ASCII
const isAscii = (text: string): boolean => /^[\u0000-\u007F]*$/.test(text);

/** JSON text that `toJournal` has accepted; `undefined` is no value (SQL null). */
export type JsonText = string;
