/** What a server answers when it refuses, as the error classes that the database's own transport throws. */
import {
  IdempotencyConflict,
  InvalidArgument,
  InvalidName,
  NotInstalled,
  type OxbowError,
  PayloadTooLarge,
  QueueExists,
  QueueInUse,
  QueueNotFound,
  RunNotFound,
  ScheduleNotFound,
  SerializationError,
  WrongQueueKind,
  type OxbowErrorOptions,
} from "../../core/errors.ts";
import { blameFor } from "../../protocol/blame.ts";

/** RFC 9457, as far as it is looked at. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  /** What the server's database answered, where that is not an error of Oxbow's own. */
  readonly sqlstate?: string;
}

type ErrorOfMessage = new (message: string, options: OxbowErrorOptions) => OxbowError;

const CLASS_OF_CODE: ReadonlyMap<string, ErrorOfMessage> = new Map<string, ErrorOfMessage>([
  ["BODY_TOO_LARGE", PayloadTooLarge],
  ["IDEMPOTENCY_CONFLICT", IdempotencyConflict],
  ["INVALID_ARGUMENT", InvalidArgument],
  ["INVALID_NAME", InvalidName],
  ["INVALID_REQUEST", InvalidArgument],
  ["PAYLOAD_TOO_LARGE", PayloadTooLarge],
  ["QUEUE_EXISTS", QueueExists],
  ["QUEUE_IN_USE", QueueInUse],
  ["QUEUE_NOT_FOUND", QueueNotFound],
  ["RUN_NOT_FOUND", RunNotFound],
  ["SCHEDULE_NOT_FOUND", ScheduleNotFound],
  ["WRONG_QUEUE_KIND", WrongQueueKind],
]);

/** The error of a problem that the connection itself does not retry. */
export function toOxbowError(problem: Problem, target: string): Error {
  const { code, detail, sqlstate } = problem;
  if (sqlstate !== undefined) {
    const error = Object.assign(new Error(`${target} answered ${problem.status}: ${detail}`), {
      code: sqlstate,
    });
    // As the driver would throw it.
    if (blameFor(error) !== "data") return error;
  }
  // A server that is older than this SDK, not a fault of the values.
  const isTooNew = code === "INVALID_REQUEST" && detail.includes("has an unknown property");
  const known = isTooNew ? undefined : CLASS_OF_CODE.get(code);
  if (known !== undefined) return new known(detail, { facts: { problem } });
  if (code === "SERIALIZATION_FAILED") {
    return new SerializationError("a value", "$", `was refused by the server: ${detail}`);
  }
  if (code === "NOT_INSTALLED") return new NotInstalled(`the database of ${target}`);
  return new Error(`${target} answered ${problem.status} ${code}: ${detail}`);
}

/** Some proxy's page is no problem of ours. */
export function readProblem(status: number, text: string): Problem {
  try {
    const { code, detail, sqlstate } = JSON.parse(text) as Partial<Problem>;
    if (typeof code === "string" && typeof detail === "string") {
      return { status, code, detail, ...(typeof sqlstate === "string" ? { sqlstate } : {}) };
    }
  } catch {
    // Not JSON.
  }
  return { status, code: "NOT_OXBOW", detail: text.slice(0, 200) };
}
