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

/** Facts about each error, by its code. */
export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, CatalogueEntry>> = {
  INVALID_ARGUMENT: {
    class: "InvalidArgument",
    topic: "request",
    sqlstate: "OX004",
    status: 400,
    outcome: "usage",
    isOfData: true,
  },
  INVALID_NAME: {
    class: "InvalidName",
    topic: "request",
    sqlstate: "OX003",
    status: 400,
    outcome: "usage",
    isOfData: true,
  },
  VALIDATION_FAILED: {
    class: "ValidationFailed",
    topic: "request",
    status: 400,
    outcome: "usage",
  },
  SERIALIZATION_FAILED: {
    class: "SerializationError",
    topic: "request",
    status: 400,
    outcome: "usage",
    isOfData: true,
  },
  PAYLOAD_TOO_LARGE: {
    class: "PayloadTooLarge",
    topic: "request",
    sqlstate: "OX008",
    status: 413,
    outcome: "usage",
    isOfData: true,
  },
  RUN_NOT_FOUND: {
    class: "RunNotFound",
    topic: "request",
    sqlstate: "OX005",
    status: 404,
    outcome: "notFound",
  },
  QUEUE_NOT_FOUND: {
    class: "QueueNotFound",
    topic: "request",
    sqlstate: "OX001",
    status: 404,
    outcome: "notFound",
  },
  SCHEDULE_NOT_FOUND: {
    class: "ScheduleNotFound",
    topic: "request",
    sqlstate: "OX011",
    status: 404,
    outcome: "notFound",
  },
  DEFINITION_NOT_FOUND: {
    class: "DefinitionNotFound",
    topic: "request",
    sqlstate: "OX012",
    status: 404,
    outcome: "notFound",
  },
  TRIGGER_EVENT_NOT_FOUND: {
    class: "TriggerEventNotFound",
    topic: "request",
    sqlstate: "OX024",
    status: 404,
    outcome: "notFound",
  },
  REVISION_CONFLICT: {
    class: "RevisionConflict",
    topic: "request",
    sqlstate: "OX013",
    status: 412,
    outcome: "conflict",
  },
  DEFINITION_IN_USE: {
    class: "DefinitionInUse",
    topic: "request",
    sqlstate: "OX014",
    status: 409,
    outcome: "conflict",
  },
  INVALID_DEFINITION: {
    class: "InvalidDefinition",
    topic: "request",
    sqlstate: "OX015",
    status: 422,
    outcome: "usage",
    isOfData: true,
  },
  NAME_TAKEN: {
    class: "NameTaken",
    topic: "request",
    sqlstate: "OX016",
    status: 409,
    outcome: "conflict",
  },
  DEFINITION_INACTIVE: {
    class: "DefinitionInactive",
    topic: "request",
    sqlstate: "OX017",
    status: 409,
    outcome: "conflict",
  },
  NOT_MIGRATABLE: {
    class: "NotMigratable",
    topic: "request",
    status: 409,
    outcome: "conflict",
  },
  RESOURCE_IN_USE: {
    class: "ResourceInUse",
    topic: "request",
    sqlstate: "OX026",
    status: 409,
    outcome: "conflict",
  },
  RESOURCE_NOT_FOUND: {
    class: "ResourceNotFound",
    topic: "request",
    sqlstate: "OX027",
    status: 404,
    outcome: "notFound",
  },
  RESOURCES_NOT_LISTED: {
    class: "ResourcesNotListed",
    topic: "request",
    status: 424,
  },
  APPROVAL_NOT_FOUND: {
    class: "ApprovalNotFound",
    topic: "request",
    sqlstate: "OX022",
    status: 404,
    outcome: "notFound",
  },
  NOT_AN_APPROVER: {
    class: "NotAnApprover",
    topic: "request",
    sqlstate: "OX023",
    status: 403,
    outcome: "conflict",
  },
  ENDPOINT_NOT_FOUND: {
    class: "EndpointNotFound",
    topic: "request",
    sqlstate: "OX030",
    status: 404,
    outcome: "notFound",
  },
  WRONG_SHARD: {
    class: "WrongShard",
    topic: "request",
    sqlstate: "OX028",
    status: 421,
    outcome: "conflict",
    isOfData: true,
  },
  RUN_MOVED: {
    class: "RunMoved",
    topic: "request",
    sqlstate: "OX029",
    status: 421,
    outcome: "conflict",
    isOfData: true,
  },
  IDEMPOTENCY_CONFLICT: {
    class: "IdempotencyConflict",
    topic: "request",
    sqlstate: "OX010",
    status: 409,
    outcome: "conflict",
  },
  QUEUE_EXISTS: {
    class: "QueueExists",
    topic: "request",
    sqlstate: "OX002",
    status: 409,
    outcome: "conflict",
  },
  QUEUE_IN_USE: {
    class: "QueueInUse",
    topic: "request",
    sqlstate: "OX009",
    status: 409,
    outcome: "conflict",
  },
  WRONG_QUEUE_KIND: {
    class: "WrongQueueKind",
    topic: "request",
    sqlstate: "OX007",
    status: 409,
    outcome: "usage",
  },
  LEASE_LOST: {
    class: "LeaseLost",
    topic: "request",
  },

  STEP_FAILED: {
    class: "StepFailed",
    topic: "body",
  },
  NESTED_STEP: {
    class: "NestedStep",
    topic: "body",
  },
  DUPLICATE_STEP_NAME: {
    class: "DuplicateStepName",
    topic: "body",
  },
  NONDETERMINISM: {
    class: "NondeterminismError",
    topic: "body",
  },
  TRANSACTION_OVER: {
    class: "TransactionOver",
    topic: "body",
  },

  STEP_TIMEOUT: {
    class: "StepTimeout",
    topic: "step",
  },
  STEP_ABANDONED: {
    class: "StepAbandoned",
    topic: "step",
  },
  NON_RETRIABLE: {
    class: "NonRetriableError",
    topic: "step",
  },
  RETRY_AFTER: {
    class: "RetryAfterError",
    topic: "step",
  },

  RUN_FAILED: {
    class: "RunFailed",
    topic: "result",
    outcome: "endedOtherwise",
  },
  RUN_CANCELLED: {
    class: "RunCancelled",
    topic: "result",
    outcome: "endedOtherwise",
  },
  RUN_BLOCKED: {
    class: "RunBlocked",
    topic: "result",
  },
  ROLLBACK_FAILED: {
    class: "RollbackFailed",
    topic: "result",
  },
  POISONED_RUN: {
    class: "PoisonedRun",
    topic: "result",
  },
  DEADLINE_EXCEEDED: {
    class: "DeadlineExceeded",
    topic: "result",
    outcome: "timedOut",
  },

  CONNECTION_FAILED: {
    class: "ConnectionFailed",
    topic: "database",
    status: 503,
  },
  NOT_INSTALLED: {
    class: "NotInstalled",
    topic: "database",
    status: 503,
  },
  SCHEMA_VERSION_MISMATCH: {
    class: "SchemaVersionMismatch",
    topic: "database",
    status: 503,
  },
};

export interface SqlOnlyError {
  /** The `code` of the HTTP problem. */
  readonly problem: ServerProblemCode;
}

/**
 * Raised by SQL functions and without a class in TypeScript: the driver's error reaches the caller. By SQLSTATE.
 */
export const SQL_ONLY_ERRORS: Readonly<Record<string, SqlOnlyError>> = {
  OX006: {
    problem: "NOT_MIGRATED",
  },
};

/** A refusal of the HTTP server that concerns the request rather than Oxbow. */
export interface ServerProblemEntry {
  readonly status: number;
  /** The error that the SDK rejects with; without one, an `Error` with the server's message. */
  readonly rejectsWith?: ErrorCode;
}

const SERVER_CATALOGUE = {
  INVALID_REQUEST: {
    status: 400,
    rejectsWith: "INVALID_ARGUMENT",
  },
  INVALID_JSON: { status: 400 },
  REQUEST_INCOMPLETE: {
    status: 400,
  },
  UNAUTHORIZED: { status: 401 },
  SESSION_EXPIRED: {
    status: 401,
  },
  FORBIDDEN: {
    status: 403,
  },
  NOT_FOUND: { status: 404 },
  SUBSCRIPTION_NOT_FOUND: { status: 404 },
  DELIVERY_NOT_FOUND: {
    status: 404,
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
  },
  UPGRADE_REQUIRED: {
    status: 426,
  },
  REVISION_REQUIRED: {
    status: 428,
  },
  REQUEST_TIMEOUT: { status: 408 },
  NOT_SIGNED: {
    status: 409,
  },
  NO_RUN_TOKEN_KEY: {
    status: 409,
    rejectsWith: "INVALID_ARGUMENT",
  },
  HOOK_NOT_FOUND: {
    status: 404,
  },
  HOOK_NOT_VERIFIED: {
    status: 401,
  },
  TOO_MANY_LISTS: {
    status: 429,
  },
  BODY_TOO_LARGE: {
    status: 413,
    rejectsWith: "PAYLOAD_TOO_LARGE",
  },
  URI_TOO_LONG: { status: 414 },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
  },
  HOST_NOT_ALLOWED: {
    status: 421,
  },
  HEADERS_TOO_LARGE: {
    status: 431,
  },
  INTERNAL_ERROR: { status: 500 },
  IDENTITY_PROVIDER_UNAVAILABLE: {
    status: 503,
  },
  NOT_MIGRATED: {
    status: 503,
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
  },
} as const satisfies Readonly<Record<string, ServerProblemEntry>>;

export type ServerProblemCode = keyof typeof SERVER_CATALOGUE;

/** Entries of the problems, by their `code`. */
export const SERVER_PROBLEMS: Readonly<Record<ServerProblemCode, ServerProblemEntry>> =
  SERVER_CATALOGUE;
