/** Failures of statements: as Oxbow's error classes, and whether the database was available at all. */
import { type ErrorCode, ERROR_CATALOGUE } from "../core/error-catalogue.ts";
import { errorOfCode } from "../core/error-of-code.ts";
import {
  ConnectionFailed,
  type Facts,
  NotInstalled,
  OxbowError,
  SerializationError,
} from "../core/errors.ts";
import { ServerUnavailable } from "./server-unavailable.ts";

const CODE_OF_SQLSTATE: ReadonlyMap<string, ErrorCode> = new Map(
  Object.entries(ERROR_CATALOGUE).flatMap(([code, { sqlstate }]) =>
    sqlstate === undefined ? [] : [[sqlstate, code as ErrorCode] as const],
  ),
);

/** Text, or a character in it, that jsonb can't store. */
export const UNTRANSLATABLE: readonly string[] = [
  "22021", // not in the encoding of the database
  "22P02", // not JSON
  "22P05", // a character that jsonb can't store
];

/**
 * Why a statement failed although nothing is wrong with it:
 * `busy`, nothing was carried out and a retry helps; `lost`, the connection ended, perhaps after the statement was
 * carried out; `unreachable`, no server answers; `refused`, a retry does not help.
 */
export type Unavailability = "busy" | "lost" | "unreachable" | "refused";

const UNAVAILABILITY: ReadonlyMap<string, Unavailability> = new Map<string, Unavailability>([
  ["40001", "busy"], // serialization failure
  ["40P01", "busy"], // deadlock
  ["53300", "busy"], // too many connections
  ["57P03", "busy"], // starting up, or shutting down
  ["57P01", "lost"], // terminated by an administrator
  ["57P02", "lost"], // another server process crashed
  ["57P05", "lost"], // idle for too long
  ["25P03", "lost"], // idle in a transaction for too long
  ["ECONNRESET", "lost"],
  ["EPIPE", "lost"],
  ["ETIMEDOUT", "lost"],
  ["ECONNREFUSED", "unreachable"],
  ["EHOSTUNREACH", "unreachable"],
  ["ENETUNREACH", "unreachable"],
  ["ENOENT", "unreachable"], // no such socket
  ["EAI_AGAIN", "unreachable"],
  ["ENOTFOUND", "unreachable"],
  ["28000", "refused"], // no such role
  ["28P01", "refused"], // wrong password
  ["3D000", "refused"], // no such database
  ["42501", "refused"], // may not connect
]);

/** Undefined when the statement itself is to blame. */
export function whyUnavailable(error: unknown): Unavailability | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof ServerUnavailable) return error.why;
  const code = codeOf(error);
  if (code !== undefined && code !== "42501") {
    return UNAVAILABILITY.get(code) ?? (code.startsWith("08") ? "lost" : undefined);
  }
  // The driver has no codes for its own.
  return /^(Connection terminated|Client has encountered a connection error|timeout exceeded|Query read timeout)/.test(
    error.message,
  )
    ? "lost"
    : undefined;
}

/** True if the database, or the server, rejects the credentials: connecting again fails again. */
export const isRefused = (error: unknown): boolean =>
  error instanceof ConnectionFailed && whyUnavailable(error.cause) === "refused";

/** Returns Oxbow's error for the failure of a statement, or the failure itself if it has another origin. */
export function toOxbowError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof OxbowError) return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  const hint = "hint" in error && typeof error.hint === "string" ? ` ${error.hint}` : "";
  const oxbowCode = CODE_OF_SQLSTATE.get(code);
  if (oxbowCode !== undefined) {
    const options = { cause: error, facts: { sqlstate: code, ...factsIn(error) } };
    return errorOfCode(oxbowCode, `${sentence(error.message)}${hint}`, options) ?? error;
  }
  if (UNTRANSLATABLE.includes(code)) {
    return new SerializationError(
      "a value",
      "$",
      `is not JSON that Postgres can hold: ${error.message}`,
      {
        cause: error,
      },
    );
  }
  return error;
}

/** True if the database has no function of that name: no Oxbow, or only a part of it. */
export const isMissing = (error: unknown): boolean => {
  const code = error instanceof Error ? codeOf(error) : undefined;
  return code === "3F000" || code === "42883" || error instanceof NotInstalled;
};

const CHANGED_UNDERNEATH: ReadonlySet<string | undefined> = new Set([
  "42P01", // no such table
  "42703", // no such column
  "42883", // no such function
  "42P10", // no such constraint
]);

/**
 * What the statement began with was gone when it got there: its queue was dropped, with a table and functions, or an
 * upgrade has replaced functions. Nothing was carried out.
 */
export const isChangedUnderneath = (error: unknown): boolean =>
  error instanceof Error &&
  (CHANGED_UNDERNEATH.has(codeOf(error)) || error.message.startsWith("cache lookup failed"));

/** The role of the session may not call the function. Nothing was carried out. */
export const isDenied = (error: unknown): boolean =>
  error instanceof Error && codeOf(error) === "42501";

/** The statement waited too long for a lock of another transaction. Nothing was carried out. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && codeOf(error) === "55P03";

/** The statement was cancelled, by someone or by a limit of its time. Nothing was carried out. */
export const isCancelled = (error: unknown): boolean =>
  error instanceof Error && codeOf(error) === "57014";

/** A proxy has assigned another session than the one that prepared the statement. Nothing was carried out. */
export const isPreparedElsewhere = (error: unknown): boolean => {
  const code = error instanceof Error ? codeOf(error) : undefined;
  return code === "26000" || code === "42P05";
};

const codeOf = (error: Error): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined;

/** Facts about an error that programs read, where the detail is an object of them. */
function factsIn(error: Error): Facts {
  if (!("detail" in error) || typeof error.detail !== "string") return {};
  if (!error.detail.startsWith("{")) return {};
  try {
    return JSON.parse(error.detail) as Facts;
  } catch {
    return {};
  }
}

const sentence = (message: string): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
