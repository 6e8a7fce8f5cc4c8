/** Texts of the error reference, for each error by its code: a short noun phrase, the cause and the remedy, in Markdown. */
import type { ErrorCode, ServerProblemCode } from "../sdk/src/core/error-catalogue.ts";

export interface ErrorText {
  /** As in the comment of queue._raise(). */
  readonly title: string;
  readonly cause: string;
  readonly remedy: string;
}

export const ERROR_TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  INVALID_ARGUMENT: {
    title: "invalid argument",
    cause: "An argument or option is missing, out of range or in conflict with another one.",
    remedy: "Correct the argument that the message names.",
  },
  INVALID_NAME: {
    title: "invalid name",
    cause: "The name of a queue, workflow, step, event or schedule breaks the naming rules.",
    remedy: "Choose a name that follows the rule in the message.",
  },
  VALIDATION_FAILED: {
    title: "value that does not match its schema",
    cause: "An input, an event payload or an output does not match the schema of its workflow.",
    remedy: "Correct the values at the paths in `issues`.",
  },
  SERIALIZATION_FAILED: {
    title: "value that is not JSON",
    cause:
      "A value has no JSON form that Postgres can store: a cycle, a `bigint`, a NUL character or a lone surrogate. A step that returns one fails without a retry, with this error as the cause of its `StepFailed`.",
    remedy: "Convert the value at the path in the message, or configure a codec.",
  },
  PAYLOAD_TOO_LARGE: {
    title: "payload too large",
    cause:
      "A value exceeds 16 MiB of JSON, or the journal of a run exceeds 128 MiB or 100,000 rows; the message names the step or the run.",
    remedy:
      "Store large data elsewhere, and journal its location. If a run has many steps, return `ctx.continueAsNew(input)` from time to time.",
  },
  RUN_NOT_FOUND: {
    title: "run not found",
    cause: "No run has this id, or its retention has ended and the sweeper has deleted it.",
    remedy: "Check the id; raise the workflow's `retention` to keep ended runs for longer.",
  },
  QUEUE_NOT_FOUND: {
    title: "queue not found",
    cause: "No queue has this name.",
    remedy: "Create the queue first.",
  },
  SCHEDULE_NOT_FOUND: {
    title: "schedule not found",
    cause: "No schedule has this name.",
    remedy: "List the schedules, or create this one.",
  },
  DEFINITION_NOT_FOUND: {
    title: "definition not found",
    cause: "No definition has this name, or it has no such version.",
    remedy: "List the definitions, or create this one.",
  },
  TRIGGER_EVENT_NOT_FOUND: {
    title: "trigger event not found",
    cause: "No event of triggers has this id. Events are kept for 7 days, failed ones for 30.",
    remedy: "List the events that were kept.",
  },
  REVISION_CONFLICT: {
    title: "revision conflict",
    cause:
      "The draft of a definition has another revision than the one that the change is based on; `facts` has its number, author and time.",
    remedy: "Get the draft, merge your changes into it, and save it with its revision.",
  },
  DEFINITION_IN_USE: {
    title: "definition in use",
    cause:
      "A definition can't be deleted while it has runs, or while another definition, a schedule or a subscription starts it.",
    remedy: "Archive it, or change what starts it first.",
  },
  INVALID_DEFINITION: {
    title: "invalid definition",
    cause: "A document can't be saved or published as it is; `problems` lists everything.",
    remedy:
      "Correct the errors; each names its place and a remedy. Warnings don't prevent publishing.",
  },
  NAME_TAKEN: {
    title: "name taken",
    cause:
      "A definition and a workflow in code would have the same name, or two definitions would.",
    remedy: "Choose another name.",
  },
  DEFINITION_INACTIVE: {
    title: "definition inactive",
    cause: "A definition that is paused, archived or was never published starts no runs.",
    remedy: "Resume or publish it.",
  },
  NOT_MIGRATABLE: {
    title: "run can't take another version",
    cause:
      "The other version of the definition does not repeat the journal of the run, or a worker executes the run all the time, or it has ended; `facts.node` names the node that differs.",
    remedy:
      "Let the run end with its version, publish a version that fits, or pause a run that is executed, and migrate it then.",
  },
  RESOURCE_IN_USE: {
    title: "resource in use",
    cause:
      "A resource can't be deleted while a published definition, an archived version with runs in progress or another owner names it; `facts.owners` lists them. Nor can a value of the environment that a published definition names; `facts.users` lists those.",
    remedy: "Change what uses it first.",
  },
  RESOURCE_NOT_FOUND: {
    title: "resource not found",
    cause: "An owner of references names a row that a protected table does not have.",
    remedy: "Let it name another resource, or create this one first.",
  },
  RESOURCES_NOT_LISTED: {
    title: "resources that could not be listed",
    cause:
      "No worker that lists resources of the type answered in time, or the `list` of the application failed; the message names which.",
    remedy:
      "Start a worker whose `createDefinitions` has the type, or mend its `list`. People may enter the id in the meantime.",
  },
  APPROVAL_NOT_FOUND: {
    title: "approval not found",
    cause: "The request for approval doesn't exist, or was deleted with its run.",
    remedy: "List the requests with `approval_list()` or `oxbow approvals list`.",
  },
  NOT_AN_APPROVER: {
    title: "not an approver",
    cause:
      "The request names other approvers, or excludes the person as the one who started the run.",
    remedy: "Let one of its approvers decide.",
  },
  ENDPOINT_NOT_FOUND: {
    title: "endpoint not found",
    cause: "No endpoint has this id, or it was removed.",
    remedy: "List the endpoints with `client.endpoints.list()`, or add this one.",
  },
  WRONG_SHARD: {
    title: "wrong shard",
    cause:
      "What the call concerns is at home in another shard than its transaction, its run or the rest of the call, or has just moved there; or it concerns all shards, and does not cross them yet. `facts` has the shards.",
    remedy:
      "Call it where it is at home: `client.home(route)` returns the shard, `client.shard(name)` a client of it.",
  },
  RUN_MOVED: {
    title: "run moved",
    cause:
      "The run has moved to another shard, `shard` in `facts`, and the call came to the one that it has left; or it is on its way, and the other shard could not be reached for a while.",
    remedy:
      "Call it through a client of the fleet, which follows runs, or in a transaction of the other shard; repeat a call for a run on its way.",
  },
  IDEMPOTENCY_CONFLICT: {
    title: "idempotency conflict",
    cause:
      "A run in progress holds the idempotency key and the start requests `fail`; or another run has taken over the key of the run to retry; or the key changed hands during the start.",
    remedy:
      "Use the run that holds the key, or start with another key; after a concurrent change, repeat the start.",
  },
  QUEUE_EXISTS: {
    title: "queue exists with other settings",
    cause: "A queue of this name exists, and its settings differ from the requested ones.",
    remedy:
      "Create the queue with the settings it has, or drop it first; the message names the difference.",
  },
  QUEUE_IN_USE: {
    title: "queue in use",
    cause:
      "Another queue uses this one as its dead letter queue, a subscription targets it, or an open transaction has written to it.",
    remedy:
      "Remove the dependency that the message names, or repeat the call once the transaction has ended.",
  },
  WRONG_QUEUE_KIND: {
    title: "wrong kind of queue",
    cause:
      "A FIFO call names a standard queue, a standard call names a FIFO queue, or the queue belongs to a workflow or to Oxbow.",
    remedy: "Use the functions for this kind of queue.",
  },
  LEASE_LOST: {
    title: "lease lost",
    cause:
      "The visibility timeout of a message has ended, or the message was deleted or received again. `acknowledge` rejects with it, and a handler's `signal` aborts with it.",
    remedy:
      "Undo the message's work if possible; raise the visibility timeout if handlers exceed it.",
  },
  STEP_FAILED: {
    title: "step failed",
    cause:
      "A step has used up its attempts, or threw an error that is not retried. `cause` is the error of the last attempt, as journaled.",
    remedy: "Catch it in the body to continue without the step; uncaught, it fails the run.",
  },
  NESTED_STEP: {
    title: "step inside a step's callback",
    cause: "The callback of a step calls another step.",
    remedy: "Call steps from the workflow's body, one after another or in parallel.",
  },
  DUPLICATE_STEP_NAME: {
    title: "duplicate step name",
    cause: "Two steps of a run have the same name. It fails the run even if the body catches it.",
    remedy: "Make names unique; in a loop, include the item's id in the name.",
  },
  NONDETERMINISM: {
    title: "body that departs from its journal",
    cause:
      "The body does not repeat the steps in its journal: the code of a version with runs in progress has changed, or the body depends on time, randomness or other external state. It fails the run even if the body catches it.",
    remedy: "Give changed code a new version, and move external state into a step.",
  },
  TRANSACTION_OVER: {
    title: "query after its transaction",
    cause:
      "A callback of `step.tx` sends a query after its transaction has ended: the attempt timed out, or the query was not awaited.",
    remedy: "Await every query, and stop when the callback's signal aborts.",
  },
  STEP_TIMEOUT: {
    title: "step timeout",
    cause: "A callback did not settle within the `timeout` of its step. The step's retries apply.",
    remedy: "Raise `timeout`, or pass the callback's signal to the operation it calls.",
  },
  STEP_ABANDONED: {
    title: "step abandoned",
    cause:
      "The body called `step.abandon`. The journal has this error for the step, and the signal of its callback aborts with it.",
    remedy: "No action is needed: the run continues without the step.",
  },
  NON_RETRIABLE: {
    title: "error that is not retried",
    cause:
      "A callback threw this class, from `@oxbow/sdk/runtime`, to fail its step without further attempts.",
    remedy: "Throw it for failures that a retry cannot fix.",
  },
  RETRY_AFTER: {
    title: "error with its own delay",
    cause:
      "A callback threw this class, from `@oxbow/sdk/runtime`, to set the delay before its next attempt.",
    remedy: "Throw it for failures that name a time, such as an HTTP 429 with `Retry-After`.",
  },
  RUN_FAILED: {
    title: "run failed",
    cause:
      "`result()` rejects because the run failed. `cause` is the run's error, rebuilt, and `error` its record.",
    remedy: "Fix the cause, then retry or rerun the run.",
  },
  RUN_CANCELLED: {
    title: "run cancelled",
    cause: "`result()` rejects because the run was cancelled; the message contains the reason.",
    remedy: "Start the run again if its result is still required.",
  },
  RUN_BLOCKED: {
    title: "run blocked in a test",
    cause:
      "In a [test](../guides/testing.md), a run waits for an event that nothing sends; the message names it.",
    remedy: "Send the event in the test, or skip time past the wait's timeout.",
  },
  ROLLBACK_FAILED: {
    title: "rollback failed",
    cause:
      "The `cause` of a `RunFailed`: the run failed, and so did some of its rollbacks. Its own `cause` is the error that failed the run.",
    remedy: "Undo the steps that the message names by hand.",
  },
  POISONED_RUN: {
    title: "poisoned run",
    cause:
      "Ten workers in a row died before the run made any progress, or a hundred although it made some.",
    remedy:
      "Find the step that kills the process, often by exhausting its memory; fix it, then retry the run.",
  },
  DEADLINE_EXCEEDED: {
    title: "deadline exceeded",
    cause:
      "A run was still in progress at its deadline and has failed; or `result()` reached its `timeout`, and the run continues.",
    remedy: "Raise the deadline or the timeout.",
  },
  CONNECTION_FAILED: {
    title: "connection failed",
    cause:
      "The database or the server can't be reached, or the connection was lost. The `code` of its `cause` has the reason: a code of the operating system or the driver, an SQLSTATE, or the code of an HTTP problem.",
    remedy:
      "Repeat the call. If `facts.sent` is true, the request may have been carried out, so repeat it only if it is idempotent.",
  },
  NOT_INSTALLED: {
    title: "Oxbow not installed",
    cause: "The database has no Oxbow, or only a part of it.",
    remedy: "Run `oxbow migrate`, or `create extension oxbow`, in that database.",
  },
  SCHEMA_VERSION_MISMATCH: {
    title: "protocol version mismatch",
    cause: "The database and the SDK use different versions of the protocol.",
    remedy: "Upgrade the older one, which the message names.",
  },
};

/** Causes of the refusals of the HTTP server. */
export const PROBLEM_CAUSES: Readonly<Record<ServerProblemCode, string>> = {
  INVALID_REQUEST:
    "The path, query or body does not match the OpenAPI schema; `errors` lists the places.",
  INVALID_JSON: "The body is not JSON.",
  REQUEST_INCOMPLETE: "The connection ended before the request was complete.",
  UNAUTHORIZED: "The request has no token, or an unknown one.",
  SESSION_EXPIRED:
    "The session of a user has expired. `GET /v1/session` refreshes it if that is possible.",
  FORBIDDEN:
    "The token or the user lacks the scope of the endpoint, the request lacks the CSRF token of the session, or a page of another site sent it.",
  NOT_FOUND: "The path does not exist.",
  SUBSCRIPTION_NOT_FOUND: "No subscription has this id and pattern.",
  DELIVERY_NOT_FOUND: "The log of deliveries does not have this delivery, or no longer.",
  METHOD_NOT_ALLOWED: "The path exists, with other methods; `Allow` lists them.",
  UPGRADE_REQUIRED:
    "The path is for WebSockets, and the request doesn't ask for one, or asks for a protocol that this version of the server lacks.",
  REVISION_REQUIRED:
    "A change of a draft names no revision: send `If-Match` with the `ETag` of the draft.",
  REQUEST_TIMEOUT: "The request was not complete in time.",
  NOT_SIGNED: "The server has no webhook secret, so it neither signs nor verifies deliveries.",
  NO_RUN_TOKEN_KEY: "The server has no key for run tokens. Set `OXBOW_RUN_TOKEN_KEYS`.",
  HOOK_NOT_FOUND: "No webhook trigger that is in force has this address.",
  HOOK_NOT_VERIFIED:
    "The signature or the token of a delivery to a webhook trigger is missing, or wrong for its address.",
  TOO_MANY_LISTS: "The server waits for many lists of resources. Ask again after `Retry-After`.",
  BODY_TOO_LARGE: "The body exceeds the limit of the endpoint.",
  URI_TOO_LONG: "A part of the path is too long.",
  UNSUPPORTED_MEDIA_TYPE: "The body's content type is not `application/json`.",
  HOST_NOT_ALLOWED:
    "A server without tokens received a request for a host that is not in `OXBOW_ALLOWED_HOSTS`.",
  HEADERS_TOO_LARGE: "Path, query and headers together exceed 16 KiB.",
  INTERNAL_ERROR: "The server failed; its log has the error.",
  IDENTITY_PROVIDER_UNAVAILABLE:
    "The OpenID provider can't be reached. Tokens, and sessions that have not expired, still work.",
  NOT_MIGRATED:
    "The tables of the database are missing, or older than its functions; the detail has the remedy, and `sqlstate` is OX006.",
  DATABASE_UNAVAILABLE:
    "The database refused for a reason that may pass, such as a full disk or a lock timeout; `sqlstate` has its code.",
};

/** Errors without a class, each under its SQLSTATE. */
export const SQL_ONLY_TEXTS: Readonly<Record<string, ErrorText>> = {
  OX006: {
    title: "tables missing or outdated",
    cause:
      "The role may not create tables in schema `queue`; or the tables are older than the functions; or the database has a newer release, or a schema `queue` that is not Oxbow's.",
    remedy:
      "Follow the error's hint; in most cases, call `queue.migrate()` as the owner of the schema.",
  },
};
