/**
 * Every error of Oxbow, once: its class, and its codes in each interface. What people read about it is in
 * `docs/error-texts.ts`, which no program loads.
 *
 * Other lists derive from this one: error classes of SQLSTATEs and HTTP problems, HTTP statuses, exit codes of the
 * CLI and docs/reference/errors.md. Codes never change.
 */

/** Exit codes of the `oxbow` command that an error leads to; `failed` unless an entry names another one. */
export type Outcome = "failed" | "usage" | "notFound" | "endedOtherwise" | "timedOut" | "conflict";

export interface CatalogueEntry {
  /** The class in TypeScript. */
  readonly class: string;
  readonly topic: "request" | "body" | "step" | "result" | "database";
  /** The code that SQL functions raise. */
  readonly sqlstate?: string;
  /** The status of an HTTP request that fails with this error; 400 if absent. */
  readonly status?: number;
  readonly outcome?: Outcome;
  /** The request's values caused the error, so it fails again however often it is repeated. */
  readonly isOfData?: true;
}

/** The stable code of an {@link OxbowError}. */
export type ErrorCode =
  | "APPROVAL_NOT_FOUND"
  | "CONNECTION_FAILED"
  | "DEADLINE_EXCEEDED"
  | "DEFINITION_INACTIVE"
  | "DEFINITION_IN_USE"
  | "DEFINITION_NOT_FOUND"
  | "DUPLICATE_STEP_NAME"
  | "ENDPOINT_NOT_FOUND"
  | "IDEMPOTENCY_CONFLICT"
  | "INVALID_ARGUMENT"
  | "INVALID_DEFINITION"
  | "INVALID_NAME"
  | "LEASE_LOST"
  | "NAME_TAKEN"
  | "NESTED_STEP"
  | "NONDETERMINISM"
  | "NON_RETRIABLE"
  | "NOT_AN_APPROVER"
  | "NOT_INSTALLED"
  | "NOT_MIGRATABLE"
  | "PAYLOAD_TOO_LARGE"
  | "POISONED_RUN"
  | "QUEUE_EXISTS"
  | "QUEUE_IN_USE"
  | "QUEUE_NOT_FOUND"
  | "RESOURCE_IN_USE"
  | "RESOURCES_NOT_LISTED"
  | "RESOURCE_NOT_FOUND"
  | "RETRY_AFTER"
  | "REVISION_CONFLICT"
  | "ROLLBACK_FAILED"
  | "RUN_BLOCKED"
  | "RUN_CANCELLED"
  | "RUN_FAILED"
  | "RUN_NOT_FOUND"
  | "SCHEDULE_NOT_FOUND"
  | "SCHEMA_VERSION_MISMATCH"
  | "SERIALIZATION_FAILED"
  | "STEP_ABANDONED"
  | "STEP_FAILED"
  | "STEP_TIMEOUT"
  | "TRANSACTION_OVER"
  | "TRIGGER_EVENT_NOT_FOUND"
  | "VALIDATION_FAILED"
  | "WRONG_QUEUE_KIND"
  | "RUN_MOVED"
  | "WRONG_SHARD";

type Facts = Omit<CatalogueEntry, "class">;

const INVALID: Facts = { topic: "request", status: 400, outcome: "usage" };
const NOT_FOUND: Facts = { topic: "request", status: 404, outcome: "notFound" };
const CONFLICT: Facts = { topic: "request", status: 409, outcome: "conflict" };
const UNAVAILABLE: Facts = { topic: "database", status: 503 };

/** Facts about each error, by its code. */
export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, CatalogueEntry>> = {
  INVALID_ARGUMENT: { class: "InvalidArgument", sqlstate: "OX004", ...INVALID, isOfData: true },
  INVALID_NAME: { class: "InvalidName", sqlstate: "OX003", ...INVALID, isOfData: true },
  VALIDATION_FAILED: { class: "ValidationFailed", ...INVALID },
  SERIALIZATION_FAILED: { class: "SerializationError", ...INVALID, isOfData: true },
  PAYLOAD_TOO_LARGE: {
    class: "PayloadTooLarge",
    sqlstate: "OX008",
    ...INVALID,
    status: 413,
    isOfData: true,
  },
  RUN_NOT_FOUND: { class: "RunNotFound", sqlstate: "OX005", ...NOT_FOUND },
  QUEUE_NOT_FOUND: { class: "QueueNotFound", sqlstate: "OX001", ...NOT_FOUND },
  SCHEDULE_NOT_FOUND: { class: "ScheduleNotFound", sqlstate: "OX011", ...NOT_FOUND },
  DEFINITION_NOT_FOUND: { class: "DefinitionNotFound", sqlstate: "OX012", ...NOT_FOUND },
  TRIGGER_EVENT_NOT_FOUND: { class: "TriggerEventNotFound", sqlstate: "OX024", ...NOT_FOUND },
  REVISION_CONFLICT: { class: "RevisionConflict", sqlstate: "OX013", ...CONFLICT, status: 412 },
  DEFINITION_IN_USE: { class: "DefinitionInUse", sqlstate: "OX014", ...CONFLICT },
  INVALID_DEFINITION: {
    class: "InvalidDefinition",
    sqlstate: "OX015",
    ...INVALID,
    status: 422,
    isOfData: true,
  },
  NAME_TAKEN: { class: "NameTaken", sqlstate: "OX016", ...CONFLICT },
  DEFINITION_INACTIVE: { class: "DefinitionInactive", sqlstate: "OX017", ...CONFLICT },
  NOT_MIGRATABLE: { class: "NotMigratable", ...CONFLICT },
  RESOURCE_IN_USE: { class: "ResourceInUse", sqlstate: "OX026", ...CONFLICT },
  RESOURCE_NOT_FOUND: { class: "ResourceNotFound", sqlstate: "OX027", ...NOT_FOUND },
  RESOURCES_NOT_LISTED: { class: "ResourcesNotListed", topic: "request", status: 424 },
  APPROVAL_NOT_FOUND: { class: "ApprovalNotFound", sqlstate: "OX022", ...NOT_FOUND },
  NOT_AN_APPROVER: { class: "NotAnApprover", sqlstate: "OX023", ...CONFLICT, status: 403 },
  ENDPOINT_NOT_FOUND: { class: "EndpointNotFound", sqlstate: "OX030", ...NOT_FOUND },
  WRONG_SHARD: { class: "WrongShard", sqlstate: "OX028", ...CONFLICT, status: 421, isOfData: true },
  RUN_MOVED: { class: "RunMoved", sqlstate: "OX029", ...CONFLICT, status: 421, isOfData: true },
  IDEMPOTENCY_CONFLICT: { class: "IdempotencyConflict", sqlstate: "OX010", ...CONFLICT },
  QUEUE_EXISTS: { class: "QueueExists", sqlstate: "OX002", ...CONFLICT },
  QUEUE_IN_USE: { class: "QueueInUse", sqlstate: "OX009", ...CONFLICT },
  WRONG_QUEUE_KIND: { class: "WrongQueueKind", sqlstate: "OX007", ...CONFLICT, outcome: "usage" },
  LEASE_LOST: { class: "LeaseLost", topic: "request" },

  STEP_FAILED: { class: "StepFailed", topic: "body" },
  NESTED_STEP: { class: "NestedStep", topic: "body" },
  DUPLICATE_STEP_NAME: { class: "DuplicateStepName", topic: "body" },
  NONDETERMINISM: { class: "NondeterminismError", topic: "body" },
  TRANSACTION_OVER: { class: "TransactionOver", topic: "body" },

  STEP_TIMEOUT: { class: "StepTimeout", topic: "step" },
  STEP_ABANDONED: { class: "StepAbandoned", topic: "step" },
  NON_RETRIABLE: { class: "NonRetriableError", topic: "step" },
  RETRY_AFTER: { class: "RetryAfterError", topic: "step" },

  RUN_FAILED: { class: "RunFailed", topic: "result", outcome: "endedOtherwise" },
  RUN_CANCELLED: { class: "RunCancelled", topic: "result", outcome: "endedOtherwise" },
  RUN_BLOCKED: { class: "RunBlocked", topic: "result" },
  ROLLBACK_FAILED: { class: "RollbackFailed", topic: "result" },
  POISONED_RUN: { class: "PoisonedRun", topic: "result" },
  DEADLINE_EXCEEDED: { class: "DeadlineExceeded", topic: "result", outcome: "timedOut" },

  CONNECTION_FAILED: { class: "ConnectionFailed", ...UNAVAILABLE },
  NOT_INSTALLED: { class: "NotInstalled", ...UNAVAILABLE },
  SCHEMA_VERSION_MISMATCH: { class: "SchemaVersionMismatch", ...UNAVAILABLE },
};

/**
 * The HTTP problems of errors that SQL functions raise and that have no class in TypeScript: the driver's error reaches the
 * caller. By SQLSTATE.
 */
export const SQL_ONLY_ERRORS: Readonly<Record<string, ServerProblemCode>> = {
  OX006: "NOT_MIGRATED",
};

/** A refusal of the HTTP server that concerns the request rather than Oxbow. */
export interface ServerProblemEntry {
  readonly status: number;
  /** The error that the SDK rejects with; without one, an `Error` with the server's message. */
  readonly rejectsWith?: ErrorCode;
}

const SERVER_CATALOGUE = {
  INVALID_REQUEST: { status: 400, rejectsWith: "INVALID_ARGUMENT" },
  INVALID_JSON: { status: 400 },
  REQUEST_INCOMPLETE: { status: 400 },
  UNAUTHORIZED: { status: 401 },
  SESSION_EXPIRED: { status: 401 },
  FORBIDDEN: { status: 403 },
  NOT_FOUND: { status: 404 },
  SUBSCRIPTION_NOT_FOUND: { status: 404 },
  DELIVERY_NOT_FOUND: { status: 404 },
  METHOD_NOT_ALLOWED: { status: 405 },
  UPGRADE_REQUIRED: { status: 426 },
  REVISION_REQUIRED: { status: 428 },
  REQUEST_TIMEOUT: { status: 408 },
  NOT_SIGNED: { status: 409 },
  NO_RUN_TOKEN_KEY: { status: 409, rejectsWith: "INVALID_ARGUMENT" },
  HOOK_NOT_FOUND: { status: 404 },
  HOOK_NOT_VERIFIED: { status: 401 },
  TOO_MANY_LISTS: { status: 429 },
  BODY_TOO_LARGE: { status: 413, rejectsWith: "PAYLOAD_TOO_LARGE" },
  URI_TOO_LONG: { status: 414 },
  UNSUPPORTED_MEDIA_TYPE: { status: 415 },
  HOST_NOT_ALLOWED: { status: 421 },
  HEADERS_TOO_LARGE: { status: 431 },
  INTERNAL_ERROR: { status: 500 },
  IDENTITY_PROVIDER_UNAVAILABLE: { status: 503 },
  NOT_MIGRATED: { status: 503 },
  DATABASE_UNAVAILABLE: { status: 503 },
} as const satisfies Readonly<Record<string, ServerProblemEntry>>;

export type ServerProblemCode = keyof typeof SERVER_CATALOGUE;

/** Entries of the problems, by their `code`. */
export const SERVER_PROBLEMS: Readonly<Record<ServerProblemCode, ServerProblemEntry>> =
  SERVER_CATALOGUE;
