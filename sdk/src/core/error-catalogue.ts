/**
 * Every error of Oxbow, once: its class, its codes in each interface, its cause and its remedy.
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
  /** A short noun phrase, as in the comment of queue._raise(). */
  readonly title: string;
  /** Markdown, like `remedy`. */
  readonly cause: string;
  readonly remedy: string;
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
    title: "invalid argument",
    cause: "An argument or option is missing, out of range or in conflict with another one.",
    remedy: "Correct the argument that the message names.",
  },
  INVALID_NAME: {
    class: "InvalidName",
    topic: "request",
    sqlstate: "OX003",
    status: 400,
    outcome: "usage",
    isOfData: true,
    title: "invalid name",
    cause: "The name of a queue, workflow, step, event or schedule breaks the naming rules.",
    remedy: "Choose a name that follows the rule in the message.",
  },
  VALIDATION_FAILED: {
    class: "ValidationFailed",
    topic: "request",
    status: 400,
    outcome: "usage",
    title: "value that does not match its schema",
    cause: "An input, an event payload or an output does not match the schema of its workflow.",
    remedy: "Correct the values at the paths in `issues`.",
  },
  SERIALIZATION_FAILED: {
    class: "SerializationError",
    topic: "request",
    status: 400,
    outcome: "usage",
    isOfData: true,
    title: "value that is not JSON",
    cause:
      "A value has no JSON form that Postgres can store: a cycle, a `bigint`, a NUL character or a lone surrogate. A step that returns one fails without a retry, with this error as the cause of its `StepFailed`.",
    remedy: "Convert the value at the path in the message, or configure a codec.",
  },
  PAYLOAD_TOO_LARGE: {
    class: "PayloadTooLarge",
    topic: "request",
    sqlstate: "OX008",
    status: 413,
    outcome: "usage",
    isOfData: true,
    title: "payload too large",
    cause:
      "A value exceeds 16 MiB of JSON, or the journal of a run exceeds 128 MiB or 100,000 rows; the message names the step or the run.",
    remedy:
      "Store large data elsewhere, and journal its location. If a run has many steps, return `ctx.continueAsNew(input)` from time to time.",
  },
  RUN_NOT_FOUND: {
    class: "RunNotFound",
    topic: "request",
    sqlstate: "OX005",
    status: 404,
    outcome: "notFound",
    title: "run not found",
    cause: "No run has this id, or its retention has ended and the sweeper has deleted it.",
    remedy: "Check the id; raise the workflow's `retention` to keep ended runs for longer.",
  },
  QUEUE_NOT_FOUND: {
    class: "QueueNotFound",
    topic: "request",
    sqlstate: "OX001",
    status: 404,
    outcome: "notFound",
    title: "queue not found",
    cause: "No queue has this name.",
    remedy: "Create the queue first.",
  },
  SCHEDULE_NOT_FOUND: {
    class: "ScheduleNotFound",
    topic: "request",
    sqlstate: "OX011",
    status: 404,
    outcome: "notFound",
    title: "schedule not found",
    cause: "No schedule has this name.",
    remedy: "List the schedules, or create this one.",
  },
  DEFINITION_NOT_FOUND: {
    class: "DefinitionNotFound",
    topic: "request",
    sqlstate: "OX012",
    status: 404,
    outcome: "notFound",
    title: "definition not found",
    cause: "No definition has this name, or it has no such version.",
    remedy: "List the definitions, or create this one.",
  },
  TRIGGER_EVENT_NOT_FOUND: {
    class: "TriggerEventNotFound",
    topic: "request",
    sqlstate: "OX024",
    status: 404,
    outcome: "notFound",
    title: "trigger event not found",
    cause: "No event of triggers has this id. Events are kept for 7 days, failed ones for 30.",
    remedy: "List the events that were kept.",
  },
  REVISION_CONFLICT: {
    class: "RevisionConflict",
    topic: "request",
    sqlstate: "OX013",
    status: 412,
    outcome: "conflict",
    title: "revision conflict",
    cause:
      "The draft of a definition has another revision than the one that the change is based on; `facts` has its number, author and time.",
    remedy: "Get the draft, merge your changes into it, and save it with its revision.",
  },
  DEFINITION_IN_USE: {
    class: "DefinitionInUse",
    topic: "request",
    sqlstate: "OX014",
    status: 409,
    outcome: "conflict",
    title: "definition in use",
    cause:
      "A definition can't be deleted while it has runs, or while another definition, a schedule or a subscription starts it.",
    remedy: "Archive it, or change what starts it first.",
  },
  INVALID_DEFINITION: {
    class: "InvalidDefinition",
    topic: "request",
    sqlstate: "OX015",
    status: 422,
    outcome: "usage",
    isOfData: true,
    title: "invalid definition",
    cause: "A document can't be saved or published as it is; `problems` lists everything.",
    remedy:
      "Correct the errors; each names its place and a remedy. Warnings don't prevent publishing.",
  },
  NAME_TAKEN: {
    class: "NameTaken",
    topic: "request",
    sqlstate: "OX016",
    status: 409,
    outcome: "conflict",
    title: "name taken",
    cause:
      "A definition and a workflow in code would have the same name, or two definitions would.",
    remedy: "Choose another name.",
  },
  DEFINITION_INACTIVE: {
    class: "DefinitionInactive",
    topic: "request",
    sqlstate: "OX017",
    status: 409,
    outcome: "conflict",
    title: "definition inactive",
    cause: "A definition that is paused, archived or was never published starts no runs.",
    remedy: "Resume or publish it.",
  },
  NOT_MIGRATABLE: {
    class: "NotMigratable",
    topic: "request",
    status: 409,
    outcome: "conflict",
    title: "run can't take another version",
    cause:
      "The other version of the definition does not repeat the journal of the run, or a worker executes the run all the time, or it has ended; `facts.node` names the node that differs.",
    remedy:
      "Let the run end with its version, publish a version that fits, or pause a run that is executed, and migrate it then.",
  },
  RESOURCE_IN_USE: {
    class: "ResourceInUse",
    topic: "request",
    sqlstate: "OX026",
    status: 409,
    outcome: "conflict",
    title: "resource in use",
    cause:
      "A resource can't be deleted while a published definition, an archived version with runs in progress or another owner names it; `facts.owners` lists them. Nor can a value of the environment that a published definition names; `facts.users` lists those.",
    remedy: "Change what uses it first.",
  },
  RESOURCE_NOT_FOUND: {
    class: "ResourceNotFound",
    topic: "request",
    sqlstate: "OX027",
    status: 404,
    outcome: "notFound",
    title: "resource not found",
    cause: "An owner of references names a row that a protected table does not have.",
    remedy: "Let it name another resource, or create this one first.",
  },
  RESOURCES_NOT_LISTED: {
    class: "ResourcesNotListed",
    topic: "request",
    status: 424,
    title: "resources that could not be listed",
    cause:
      "No worker that lists resources of the type answered in time, or the `list` of the application failed; the message names which.",
    remedy:
      "Start a worker whose `createDefinitions` has the type, or mend its `list`. People may enter the id meanwhile.",
  },
  APPROVAL_NOT_FOUND: {
    class: "ApprovalNotFound",
    topic: "request",
    sqlstate: "OX022",
    status: 404,
    outcome: "notFound",
    title: "approval not found",
    cause: "The request for approval doesn't exist, or was deleted with its run.",
    remedy: "List the requests with `approval_list()` or `oxbow approvals list`.",
  },
  NOT_AN_APPROVER: {
    class: "NotAnApprover",
    topic: "request",
    sqlstate: "OX023",
    status: 403,
    outcome: "conflict",
    title: "not an approver",
    cause:
      "The request names other approvers, or excludes the person as the one who started the run.",
    remedy: "Let one of its approvers decide.",
  },
  ENDPOINT_NOT_FOUND: {
    class: "EndpointNotFound",
    topic: "request",
    sqlstate: "OX030",
    status: 404,
    outcome: "notFound",
    title: "endpoint not found",
    cause: "No endpoint has this id, or it was removed.",
    remedy: "List the endpoints with `client.endpoints.list()`, or add this one.",
  },
  WRONG_SHARD: {
    class: "WrongShard",
    topic: "request",
    sqlstate: "OX028",
    status: 421,
    outcome: "conflict",
    isOfData: true,
    title: "wrong shard",
    cause:
      "What the call concerns is at home in another shard than its transaction, its run or the rest of the call, or has just moved there; or it concerns all shards, and does not cross them yet. `facts` has the shards.",
    remedy:
      "Call it where it is at home: `client.home(route)` returns the shard, `client.shard(name)` a client of it.",
  },
  RUN_MOVED: {
    class: "RunMoved",
    topic: "request",
    sqlstate: "OX029",
    status: 421,
    outcome: "conflict",
    isOfData: true,
    title: "run moved",
    cause:
      "The run has moved to another shard, `shard` in `facts`, and the call came to the one that it has left; or it is on its way, and the other shard could not be reached for a while.",
    remedy:
      "Call it through a client of the fleet, which follows runs, or in a transaction of the other shard; repeat a call for a run on its way.",
  },
  IDEMPOTENCY_CONFLICT: {
    class: "IdempotencyConflict",
    topic: "request",
    sqlstate: "OX010",
    status: 409,
    outcome: "conflict",
    title: "idempotency conflict",
    cause:
      "A run in progress holds the idempotency key and the start requests `fail`; or another run has taken over the key of the run to retry; or the key changed hands during the start.",
    remedy:
      "Use the run that holds the key, or start with another key; after a concurrent change, repeat the start.",
  },
  QUEUE_EXISTS: {
    class: "QueueExists",
    topic: "request",
    sqlstate: "OX002",
    status: 409,
    outcome: "conflict",
    title: "queue exists with other settings",
    cause: "A queue of this name exists, and its settings differ from the requested ones.",
    remedy:
      "Create the queue with the settings it has, or drop it first; the message names the difference.",
  },
  QUEUE_IN_USE: {
    class: "QueueInUse",
    topic: "request",
    sqlstate: "OX009",
    status: 409,
    outcome: "conflict",
    title: "queue in use",
    cause:
      "Another queue uses this one as its dead letter queue, a subscription targets it, or an open transaction has written to it.",
    remedy:
      "Remove the dependency that the message names, or repeat the call once the transaction has ended.",
  },
  WRONG_QUEUE_KIND: {
    class: "WrongQueueKind",
    topic: "request",
    sqlstate: "OX007",
    status: 409,
    outcome: "usage",
    title: "wrong kind of queue",
    cause:
      "A FIFO call names a standard queue, a standard call names a FIFO queue, or the queue belongs to a workflow or to Oxbow.",
    remedy: "Use the functions for this kind of queue.",
  },
  LEASE_LOST: {
    class: "LeaseLost",
    topic: "request",
    title: "lease lost",
    cause:
      "The visibility timeout of a message has ended, or the message was deleted or received again. `acknowledge` rejects with it, and a handler's `signal` aborts with it.",
    remedy:
      "Undo the message's work if possible; raise the visibility timeout if handlers exceed it.",
  },

  STEP_FAILED: {
    class: "StepFailed",
    topic: "body",
    title: "step failed",
    cause:
      "A step has used up its attempts, or threw an error that is not retried. `cause` is the error of the last attempt, as journaled.",
    remedy: "Catch it in the body to continue without the step; uncaught, it fails the run.",
  },
  NESTED_STEP: {
    class: "NestedStep",
    topic: "body",
    title: "step inside a step's callback",
    cause: "The callback of a step calls another step.",
    remedy: "Call steps from the workflow's body, one after another or in parallel.",
  },
  DUPLICATE_STEP_NAME: {
    class: "DuplicateStepName",
    topic: "body",
    title: "duplicate step name",
    cause: "Two steps of a run have the same name. It fails the run even if the body catches it.",
    remedy: "Make names unique; in a loop, include the item's id in the name.",
  },
  NONDETERMINISM: {
    class: "NondeterminismError",
    topic: "body",
    title: "body that departs from its journal",
    cause:
      "The body does not repeat the steps in its journal: the code of a version with runs in progress has changed, or the body depends on time, randomness or other external state. It fails the run even if the body catches it.",
    remedy: "Give changed code a new version, and move external state into a step.",
  },
  TRANSACTION_OVER: {
    class: "TransactionOver",
    topic: "body",
    title: "query after its transaction",
    cause:
      "A callback of `step.tx` sends a query after its transaction has ended: the attempt timed out, or the query was not awaited.",
    remedy: "Await every query, and stop when the callback's signal aborts.",
  },

  STEP_TIMEOUT: {
    class: "StepTimeout",
    topic: "step",
    title: "step timeout",
    cause: "A callback did not settle within the `timeout` of its step. The step's retries apply.",
    remedy: "Raise `timeout`, or pass the callback's signal to the operation it calls.",
  },
  STEP_ABANDONED: {
    class: "StepAbandoned",
    topic: "step",
    title: "step abandoned",
    cause:
      "The body called `step.abandon`. The journal has this error for the step, and the signal of its callback aborts with it.",
    remedy: "No action is needed: the run continues without the step.",
  },
  NON_RETRIABLE: {
    class: "NonRetriableError",
    topic: "step",
    title: "error that is not retried",
    cause:
      "A callback threw this class, from `@oxbow/sdk/runtime`, to fail its step without further attempts.",
    remedy: "Throw it for failures that a retry cannot fix.",
  },
  RETRY_AFTER: {
    class: "RetryAfterError",
    topic: "step",
    title: "error with its own delay",
    cause:
      "A callback threw this class, from `@oxbow/sdk/runtime`, to set the delay before its next attempt.",
    remedy: "Throw it for failures that name a time, such as an HTTP 429 with `Retry-After`.",
  },

  RUN_FAILED: {
    class: "RunFailed",
    topic: "result",
    outcome: "endedOtherwise",
    title: "run failed",
    cause:
      "`result()` rejects because the run failed. `cause` is the run's error, rebuilt, and `error` its record.",
    remedy: "Fix the cause, then retry or rerun the run.",
  },
  RUN_CANCELLED: {
    class: "RunCancelled",
    topic: "result",
    outcome: "endedOtherwise",
    title: "run cancelled",
    cause: "`result()` rejects because the run was cancelled; the message contains the reason.",
    remedy: "Start the run again if its result is still required.",
  },
  RUN_BLOCKED: {
    class: "RunBlocked",
    topic: "result",
    title: "run blocked in a test",
    cause:
      "In a [test](../guides/testing.md), a run waits for an event that nothing sends; the message names it.",
    remedy: "Send the event in the test, or skip time past the wait's timeout.",
  },
  ROLLBACK_FAILED: {
    class: "RollbackFailed",
    topic: "result",
    title: "rollback failed",
    cause:
      "The `cause` of a `RunFailed`: the run failed, and so did some of its rollbacks. Its own `cause` is the error that failed the run.",
    remedy: "Undo the steps that the message names by hand.",
  },
  POISONED_RUN: {
    class: "PoisonedRun",
    topic: "result",
    title: "poisoned run",
    cause:
      "Ten workers in a row died before the run made any progress, or a hundred although it made some.",
    remedy:
      "Find the step that kills the process, often by exhausting its memory; fix it, then retry the run.",
  },
  DEADLINE_EXCEEDED: {
    class: "DeadlineExceeded",
    topic: "result",
    outcome: "timedOut",
    title: "deadline exceeded",
    cause:
      "A run was still in progress at its deadline and has failed; or `result()` reached its `timeout`, and the run continues.",
    remedy: "Raise the deadline or the timeout.",
  },

  CONNECTION_FAILED: {
    class: "ConnectionFailed",
    topic: "database",
    status: 503,
    title: "connection failed",
    cause:
      "The database or the server can't be reached, or the connection was lost. The `code` of its `cause` has the reason: a code of the operating system or the driver, an SQLSTATE, or the code of an HTTP problem.",
    remedy:
      "Repeat the call. If `facts.sent` is true, the request may have been carried out, so repeat it only if it is idempotent.",
  },
  NOT_INSTALLED: {
    class: "NotInstalled",
    topic: "database",
    status: 503,
    title: "Oxbow not installed",
    cause: "The database has no Oxbow, or only a part of it.",
    remedy: "Run `oxbow migrate`, or `create extension oxbow`, in that database.",
  },
  SCHEMA_VERSION_MISMATCH: {
    class: "SchemaVersionMismatch",
    topic: "database",
    status: 503,
    title: "protocol version mismatch",
    cause: "The database and the SDK use different versions of the protocol.",
    remedy: "Upgrade the older one, which the message names.",
  },
};

export interface SqlOnlyError extends Pick<CatalogueEntry, "title" | "cause" | "remedy"> {
  /** The `code` of the HTTP problem. */
  readonly problem: ServerProblemCode;
}

/**
 * Raised by SQL functions and without a class in TypeScript: the driver's error reaches the caller. By SQLSTATE.
 */
export const SQL_ONLY_ERRORS: Readonly<Record<string, SqlOnlyError>> = {
  OX006: {
    problem: "NOT_MIGRATED",
    title: "tables missing or outdated",
    cause:
      "The role may not create tables in schema `queue`; or the tables are older than the functions; or the database has a newer release, or a schema `queue` that is not Oxbow's.",
    remedy:
      "Follow the error's hint; in most cases, call `queue.migrate()` as the owner of the schema.",
  },
};

/** A refusal of the HTTP server that concerns the request rather than Oxbow. */
export interface ServerProblemEntry {
  readonly status: number;
  readonly cause: string;
  /** The error that the SDK rejects with; without one, an `Error` with the server's message. */
  readonly rejectsWith?: ErrorCode;
}

const SERVER_CATALOGUE = {
  INVALID_REQUEST: {
    status: 400,
    cause: "The path, query or body does not match the OpenAPI schema; `errors` lists the places.",
    rejectsWith: "INVALID_ARGUMENT",
  },
  INVALID_JSON: { status: 400, cause: "The body is not JSON." },
  REQUEST_INCOMPLETE: {
    status: 400,
    cause: "The connection ended before the request was complete.",
  },
  UNAUTHORIZED: { status: 401, cause: "The request has no token, or an unknown one." },
  SESSION_EXPIRED: {
    status: 401,
    cause: "The session of a user has expired. `GET /v1/session` refreshes it if that is possible.",
  },
  FORBIDDEN: {
    status: 403,
    cause:
      "The token or the user lacks the scope of the endpoint, the request lacks the CSRF token of the session, or a page of another site sent it.",
  },
  NOT_FOUND: { status: 404, cause: "The path does not exist." },
  SUBSCRIPTION_NOT_FOUND: { status: 404, cause: "No subscription has this id and pattern." },
  DELIVERY_NOT_FOUND: {
    status: 404,
    cause: "The log of deliveries does not have this delivery, or no longer.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    cause: "The path exists, with other methods; `Allow` lists them.",
  },
  UPGRADE_REQUIRED: {
    status: 426,
    cause:
      "The path is for WebSockets, and the request doesn't ask for one, or asks for a protocol that this version of the server lacks.",
  },
  REVISION_REQUIRED: {
    status: 428,
    cause: "A change of a draft names no revision: send `If-Match` with the `ETag` of the draft.",
  },
  REQUEST_TIMEOUT: { status: 408, cause: "The request was not complete in time." },
  NOT_SIGNED: {
    status: 409,
    cause: "The server has no webhook secret, so it neither signs nor verifies deliveries.",
  },
  NO_RUN_TOKEN_KEY: {
    status: 409,
    cause: "The server has no key for run tokens. Set `OXBOW_RUN_TOKEN_KEYS`.",
    rejectsWith: "INVALID_ARGUMENT",
  },
  HOOK_NOT_FOUND: {
    status: 404,
    cause: "No webhook trigger that is in force has this address.",
  },
  HOOK_NOT_VERIFIED: {
    status: 401,
    cause:
      "The signature or the token of a delivery to a webhook trigger is missing, or wrong for its address.",
  },
  TOO_MANY_LISTS: {
    status: 429,
    cause: "The server waits for many lists of resources. Ask again after `Retry-After`.",
  },
  BODY_TOO_LARGE: {
    status: 413,
    cause: "The body exceeds the limit of the endpoint.",
    rejectsWith: "PAYLOAD_TOO_LARGE",
  },
  URI_TOO_LONG: { status: 414, cause: "A part of the path is too long." },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    cause: "The body's content type is not `application/json`.",
  },
  HOST_NOT_ALLOWED: {
    status: 421,
    cause:
      "A server without tokens received a request for a host that is not in `OXBOW_ALLOWED_HOSTS`.",
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    cause: "Path, query and headers together exceed 16 KiB.",
  },
  INTERNAL_ERROR: { status: 500, cause: "The server failed; its log has the error." },
  IDENTITY_PROVIDER_UNAVAILABLE: {
    status: 503,
    cause:
      "The OpenID provider can't be reached. Tokens, and sessions that have not expired, still work.",
  },
  NOT_MIGRATED: {
    status: 503,
    cause:
      "The tables of the database are missing, or older than its functions; the detail has the remedy, and `sqlstate` is OX006.",
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    cause:
      "The database refused for a reason that may pass, such as a full disk or a lock timeout; `sqlstate` has its code.",
  },
} as const satisfies Readonly<Record<string, ServerProblemEntry>>;

export type ServerProblemCode = keyof typeof SERVER_CATALOGUE;

/** Entries of the problems, by their `code`. */
export const SERVER_PROBLEMS: Readonly<Record<ServerProblemCode, ServerProblemEntry>> =
  SERVER_CATALOGUE;
