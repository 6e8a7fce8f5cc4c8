/** What the database says, as an error class: `OX…` codes by their number, connection failures by what can be done. */
import {
  IdempotencyConflict,
  InvalidArgument,
  InvalidName,
  NotInstalled,
  OxbowError,
  PayloadTooLarge,
  QueueExists,
  QueueInUse,
  QueueNotFound,
  RunNotFound,
  ScheduleNotFound,
  SerializationError,
  WrongQueueKind,
  type OxbowErrorOptions,
} from "../core/errors.ts";

type ErrorOfMessage = new (message: string, options: OxbowErrorOptions) => OxbowError;

const CLASS_OF_SQLSTATE: ReadonlyMap<string, ErrorOfMessage> = new Map<string, ErrorOfMessage>([
  ["OX001", QueueNotFound],
  ["OX002", QueueExists],
  ["OX003", InvalidName],
  ["OX004", InvalidArgument],
  ["OX005", RunNotFound],
  ["OX007", WrongQueueKind],
  ["OX008", PayloadTooLarge],
  ["OX009", QueueInUse],
  ["OX010", IdempotencyConflict],
  ["OX011", ScheduleNotFound],
]);

/** Text, or a character in it, that jsonb can't hold. */
const UNTRANSLATABLE = new Set(["22P05", "22P02", "22021"]);

/**
 * Why an error says nothing about the statement, and what that means:
 * `busy`, nothing was carried out and trying again helps; `lost`, the connection went away, perhaps after the
 * statement was carried out; `unreachable`, there is no server; `refused`, trying again won't help.
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

/** The error class for what a statement failed with; what isn't Oxbow's own is returned as it is. */
export function toOxbowError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof OxbowError) return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  const hint = "hint" in error && typeof error.hint === "string" ? ` ${error.hint}` : "";
  const known = CLASS_OF_SQLSTATE.get(code);
  if (known !== undefined) {
    return new known(`${sentence(error.message)}${hint}`, {
      cause: error,
      facts: { sqlstate: code },
    });
  }
  if (UNTRANSLATABLE.has(code)) {
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

/** True when the database has no function of that name: no Oxbow, or a part of it. */
export const isMissing = (error: unknown): boolean => {
  const code = error instanceof Error ? codeOf(error) : undefined;
  return code === "3F000" || code === "42883" || error instanceof NotInstalled;
};

/** What was asked for waited longer than it may for what another transaction holds. Nothing was carried out. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && codeOf(error) === "55P03";

/** A proxy gave the session in which a statement was prepared to somebody else. Nothing was carried out. */
export const isPreparedElsewhere = (error: unknown): boolean => {
  const code = error instanceof Error ? codeOf(error) : undefined;
  return code === "26000" || code === "42P05";
};

const codeOf = (error: Error): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined;

const sentence = (message: string): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
