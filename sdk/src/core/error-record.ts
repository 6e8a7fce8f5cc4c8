/**
 * Errors as data: the record of an error in a journal, and the error rebuilt from it. A body sees the rebuilt error in its
 * first execution too, so that a replay never differs.
 */
import { workingFolder } from "./host.ts";

/** An error as it is journaled, stored with a run and shown to users. */
export interface ErrorRecord {
  readonly name: string;
  readonly message: string;
  /** The stable code of an Oxbow error, or the `code` of any other error. */
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorRecord;
}

const MAX_CAUSES = 5;
const MAX_MESSAGE_CHARS = 8_000;
const MAX_STACK_LINES = 20;
const MAX_STACK_CHARS = 4_000;
const MAX_NAME_CHARS = 200;

/** Returns the record of a thrown value, bounded in size and valid as JSON. */
export function toErrorRecord(thrown: unknown): ErrorRecord {
  try {
    return recordOf(thrown, MAX_CAUSES);
  } catch {
    return UNREADABLE;
  }
}

const UNREADABLE: ErrorRecord = {
  name: "NonError",
  message: "the thrown value can't be read: its properties throw",
};

/**
 * Returns what code of users has thrown, or an error in its place if that can't be read, such as a revoked proxy. Code
 * that catches such a value calls this before anything looks at it.
 */
export function asReadable(thrown: unknown): unknown {
  if (typeof thrown !== "object" || thrown === null) return thrown;
  try {
    recordOf(thrown, MAX_CAUSES);
    for (const key of DECIDING) Reflect.get(thrown, key);
    return thrown;
  } catch {
    return fromErrorRecord(UNREADABLE);
  }
}

/** What else is read: whether and when to call again. */
const DECIDING = ["code", "delayMs"];

/** The message of a thrown value, bounded in size and valid as JSON. */
export const messageOf = (thrown: unknown): string => toErrorRecord(thrown).message;

/** Rebuilds an error with the name, message, code, stack and causes of a record, but not its class. */
export function fromErrorRecord(record: ErrorRecord): Error {
  const error = new Error(
    record.message,
    record.cause === undefined ? undefined : { cause: fromErrorRecord(record.cause) },
  );
  define(error, "name", record.name);
  define(error, "stack", record.stack ?? `${record.name}: ${record.message}`);
  if (record.code !== undefined) define(error, "code", record.code);
  return error;
}

function recordOf(thrown: unknown, causesLeft: number): ErrorRecord {
  if (!isErrorLike(thrown)) {
    return { name: "NonError", message: clean(describeThrown(thrown), MAX_MESSAGE_CHARS) };
  }
  const { code, stack, cause } = thrown as { code?: unknown; stack?: unknown; cause?: unknown };
  return {
    name: clean(typeof thrown.name === "string" ? thrown.name : "Error", MAX_NAME_CHARS),
    message: clean(thrown.message, MAX_MESSAGE_CHARS),
    ...(typeof code === "string" || typeof code === "number"
      ? { code: clean(String(code), MAX_NAME_CHARS) }
      : {}),
    ...(typeof stack === "string" ? { stack: trimStack(stack) } : {}),
    ...(cause === undefined || cause === null || causesLeft === 0
      ? {}
      : { cause: recordOf(cause, causesLeft - 1) }),
  };
}

/** Errors of another realm (a vm, a worker thread) are not instances of this realm's `Error`. */
function isErrorLike(thrown: unknown): thrown is { name?: unknown; message: string } {
  return (
    typeof thrown === "object" &&
    thrown !== null &&
    typeof (thrown as { message?: unknown }).message === "string"
  );
}

function describeThrown(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  try {
    return `thrown: ${JSON.stringify(thrown) ?? String(thrown)}`;
  } catch {
    return `thrown: ${Object.prototype.toString.call(thrown)}`;
  }
}

function trimStack(stack: string): string {
  const lines = stack.split("\n");
  const kept = lines.slice(0, MAX_STACK_LINES).map(withoutFolders).join("\n");
  return clean(kept, MAX_STACK_CHARS);
}

/** A line such as "    at charge (file:///srv/shop/src/charge.ts:7:9)". */
const FRAME = /^(\s+at (?:async )?(?:.*\()?)(?:file:\/\/)?((?:[A-Za-z]:)?[\\/].*)(:\d+:\d+\)?)$/;
const MAX_FRAME_CHARS = 1_000;

/**
 * Readers of a journal needn't know the folders of the worker's machine: paths begin below its working directory, or at
 * `node_modules`; of others only the name of the file is kept.
 */
function withoutFolders(line: string): string {
  const frame = line.length > MAX_FRAME_CHARS ? null : FRAME.exec(line);
  if (frame === null) return line;
  const [, before = "", path = "", after = ""] = frame;
  return `${before}${pathForReaders(path)}${after}`;
}

function pathForReaders(path: string): string {
  const packages = path.lastIndexOf("node_modules");
  if (packages !== -1) return path.slice(packages);
  const here = workingFolder();
  const isBelow =
    here !== undefined && path.startsWith(here) && /^[\\/]/.test(path.slice(here.length));
  if (isBelow) return path.slice(here.length + 1);
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** Text that Postgres can store in JSON, truncated to a length. */
function clean(text: string, maxChars: number): string {
  const cut = text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
  return cut.replaceAll("\u0000", "\uFFFD").replaceAll(LONE_SURROGATE, "\uFFFD");
}

const LONE_SURROGATE = /\p{Surrogate}/gu;

function define(error: Error, key: string, value: string): void {
  Object.defineProperty(error, key, {
    value,
    configurable: true,
    writable: true,
    enumerable: key === "code",
  });
}
