/**
 * The error classes that Oxbow throws. A message contains the operation, the run and step, and a remedy; `facts` holds
 * the same for programs. `error-catalogue.ts` lists all codes.
 *
 * Codes never change; messages may. Compare errors by class or code, never by message.
 */
import type { ErrorCode } from "./error-catalogue.ts";
import type { ErrorRecord } from "./error-record.ts";

/** The subjects of an error by name: run ids, steps, limits, offending values. */
export type Facts = Readonly<Record<string, unknown>>;

export interface OxbowErrorOptions {
  readonly cause?: unknown;
  readonly facts?: Facts;
}

/** The base class of all errors of Oxbow. */
export class OxbowError extends Error {
  override readonly name: string = "OxbowError";
  readonly code: ErrorCode;
  readonly facts: Facts;

  constructor(code: ErrorCode, message: string, options: OxbowErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.facts = options.facts ?? {};
  }
}

// ── Thrown into a workflow's body ───────────────────────────────────────────────────────────────────────────

/** A step has failed permanently. `cause` is the journaled error of its last attempt. A body may catch it. */
export class StepFailed extends OxbowError {
  override readonly name: string = "StepFailed";

  constructor(about: { runId: string; step: string; attempts: number; cause: Error }) {
    const { cause, ...facts } = about;
    const times = about.attempts === 1 ? "1 attempt" : `${about.attempts} attempts`;
    super(
      "STEP_FAILED",
      `Step "${about.step}" of run ${about.runId} failed after ${times}: ${cause.message}`,
      { cause, facts },
    );
  }
}

/** A run has ended, and some of its rollbacks have failed permanently. `cause` is the error that ended the run. */
export class RollbackFailed extends OxbowError {
  override readonly name: string = "RollbackFailed";

  constructor(about: {
    runId: string;
    steps: readonly string[];
    because: string;
    rollbackError: string;
  }) {
    const names = about.steps.map((step) => `"${step}"`).join(", ");
    const reason = /[.!?]$/.test(about.rollbackError)
      ? about.rollbackError
      : `${about.rollbackError}.`;
    super(
      "ROLLBACK_FAILED",
      `Run ${about.runId} ended (${about.because}), and the rollback of step ${names} failed: ` +
        `${reason} Undo those steps by hand.`,
      { facts: { runId: about.runId, steps: about.steps } },
    );
  }
}

/** A callback did not finish within the `timeout` of its step. The step's retries apply. */
export class StepTimeout extends OxbowError {
  override readonly name: string = "StepTimeout";

  constructor(about: { runId: string; step: string; timeoutMs: number }) {
    super(
      "STEP_TIMEOUT",
      `Step "${about.step}" of run ${about.runId} did not finish within ${about.timeoutMs} ms. ` +
        "Raise its `timeout`, or pass the signal of its callback on to what it calls.",
      { facts: about },
    );
  }
}

/** A step was abandoned by `step.abandon`. The signal of its callback aborts with this error. */
export class StepAbandoned extends OxbowError {
  override readonly name: string = "StepAbandoned";

  constructor(about: { runId: string; step: string }) {
    super("STEP_ABANDONED", `Step "${about.step}" of run ${about.runId} was abandoned.`, {
      facts: about,
    });
  }
}

/** A step was called inside the callback of another step. */
export class NestedStep extends OxbowError {
  override readonly name: string = "NestedStep";

  constructor(about: { runId: string; step: string; within: string }) {
    super(
      "NESTED_STEP",
      `Step "${about.step}" of run ${about.runId} is called inside the callback of step "${about.within}". ` +
        "A callback is journaled as a whole and may be called again: call steps from the body, one after the other.",
      { facts: about },
    );
  }
}

/** A callback of `step.tx` sent a query after its transaction: the attempt had timed out, or did not await the query. */
export class TransactionOver extends OxbowError {
  override readonly name: string = "TransactionOver";

  constructor() {
    super(
      "TRANSACTION_OVER",
      "The transaction of this step.tx callback is over, so the query was not sent. " +
        "Await every query before the callback returns, and stop when its signal aborts.",
    );
  }
}

/** Two steps of one run have the same name. It fails the run even if the body catches it. */
export class DuplicateStepName extends OxbowError {
  override readonly name: string = "DuplicateStepName";

  constructor(about: { runId: string; step: string }) {
    super(
      "DUPLICATE_STEP_NAME",
      `Step name "${about.step}" is used a second time in run ${about.runId}. ` +
        "Names are unique within a run; in a loop, make the item part of the name: " +
        `step.run(\`${about.step}-\${item.id}\`, …).`,
      { facts: about },
    );
  }
}

/** A body departs from its journal. It fails the run even if the body catches it. */
export class NondeterminismError extends OxbowError {
  override readonly name: string = "NondeterminismError";

  constructor(runId: string, difference: string, options: OxbowErrorOptions = {}) {
    super(
      "NONDETERMINISM",
      `Run ${runId} does not follow its journal: ${difference}. ` +
        "Either the code of a version with runs in flight was changed (give the new code a new version), " +
        "or the body depends on something outside its steps (time, randomness, a request): put that into a step.",
      { ...options, facts: { runId, ...options.facts } },
    );
  }
}

/** A value can't be journaled; `facts.path` is the JSON path of the invalid part. It is not retried. */
export class SerializationError extends OxbowError {
  override readonly name: string = "SerializationError";

  constructor(what: string, path: string, problem: string, options: OxbowErrorOptions = {}) {
    super("SERIALIZATION_FAILED", `Cannot journal ${what}: ${path} ${problem}`, {
      ...options,
      facts: { what, path, ...options.facts },
    });
  }
}

// ── How a run ended ──────────────────────────────────────────────────────

/** A run failed. `cause` is its error, rebuilt, and `error` the record of it. */
export class RunFailed extends OxbowError {
  override readonly name: string = "RunFailed";
  readonly error: ErrorRecord;

  constructor(about: { runId: string; workflow: string; error: ErrorRecord; cause: Error }) {
    super(
      "RUN_FAILED",
      `Run ${about.runId} of "${about.workflow}" failed: ${about.error.name}: ${about.error.message}`,
      { cause: about.cause, facts: { runId: about.runId, workflow: about.workflow } },
    );
    this.error = about.error;
  }
}

/** A run was cancelled. */
export class RunCancelled extends OxbowError {
  override readonly name: string = "RunCancelled";

  constructor(about: { runId: string; workflow: string; reason?: string }) {
    const reason = about.reason === undefined ? "" : `: ${about.reason}`;
    super("RUN_CANCELLED", `Run ${about.runId} of "${about.workflow}" was cancelled${reason}`, {
      facts: about,
    });
  }
}

/** In a test, a run waits for an event that nothing sends; the message names it. */
export class RunBlocked extends OxbowError {
  override readonly name: string = "RunBlocked";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("RUN_BLOCKED", message, options);
  }
}

/** A run was delivered repeatedly without progress, because its workers died. */
export class PoisonedRun extends OxbowError {
  override readonly name: string = "PoisonedRun";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("POISONED_RUN", message, options);
  }
}

/** A run was still in progress at its deadline, or `result()` reached its `timeout`. */
export class DeadlineExceeded extends OxbowError {
  override readonly name: string = "DeadlineExceeded";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("DEADLINE_EXCEEDED", message, options);
  }
}

// ── Rejected requests ────────────────────────────────────────────────────────────────────────────

/** A name breaks the naming rules; the message contains the rule. */
export class InvalidName extends OxbowError {
  override readonly name: string = "InvalidName";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("INVALID_NAME", message, options);
  }
}

/** An argument or option is invalid; the message names it. */
export class InvalidArgument extends OxbowError {
  override readonly name: string = "InvalidArgument";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("INVALID_ARGUMENT", message, options);
  }
}

/** One finding of a schema. */
export interface ValidationIssue {
  /** The path of the invalid part, like `$.address.zip`; `$` is the value itself. */
  readonly path: string;
  readonly message: string;
}

/** A value does not match its schema. */
export class ValidationFailed extends OxbowError {
  override readonly name: string = "ValidationFailed";
  readonly issues: readonly ValidationIssue[];

  constructor(what: string, issues: readonly ValidationIssue[]) {
    const list = issues.map((issue) => `${issue.path}: ${issue.message}`).join("; ");
    super("VALIDATION_FAILED", `Invalid ${what}: ${list}`, { facts: { what, issues } });
    this.issues = issues;
  }
}

/** A value, or the journal of a run, exceeds its size limit. */
export class PayloadTooLarge extends OxbowError {
  override readonly name: string = "PayloadTooLarge";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("PAYLOAD_TOO_LARGE", message, options);
  }
}

/** No run has this id, or its retention has ended. */
export class RunNotFound extends OxbowError {
  override readonly name: string = "RunNotFound";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("RUN_NOT_FOUND", message, options);
  }
}

/** No schedule has this name. */
export class ScheduleNotFound extends OxbowError {
  override readonly name: string = "ScheduleNotFound";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("SCHEDULE_NOT_FOUND", message, options);
  }
}

/** A definition or a workflow in code has the name. */
export class NameTaken extends OxbowError {
  override readonly name: string = "NameTaken";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("NAME_TAKEN", message, options);
  }
}

/** The request for approval does not exist, or was deleted with its run. */
export class ApprovalNotFound extends OxbowError {
  override readonly name: string = "ApprovalNotFound";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("APPROVAL_NOT_FOUND", message, options);
  }
}

/** No endpoint has this id, or it was removed. */
export class EndpointNotFound extends OxbowError {
  override readonly name: string = "EndpointNotFound";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("ENDPOINT_NOT_FOUND", message, options);
  }
}

/** What a call concerns is in another shard than its transaction or run, or in several. */
export class WrongShard extends OxbowError {
  override readonly name: string = "WrongShard";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("WRONG_SHARD", message, options);
  }
}

/** A run has moved to another shard, `facts.shard`: call it there. Clients of a fleet follow runs by themselves. */
export class RunMoved extends OxbowError {
  override readonly name: string = "RunMoved";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("RUN_MOVED", message, options);
  }
}

/** The person may not decide the request for approval: it names others, or excludes this one. */
export class NotAnApprover extends OxbowError {
  override readonly name: string = "NotAnApprover";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("NOT_AN_APPROVER", message, options);
  }
}

/** Another run holds the idempotency key. */
export class IdempotencyConflict extends OxbowError {
  override readonly name: string = "IdempotencyConflict";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("IDEMPOTENCY_CONFLICT", message, options);
  }
}

/** No queue has this name. */
export class QueueNotFound extends OxbowError {
  override readonly name: string = "QueueNotFound";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("QUEUE_NOT_FOUND", message, options);
  }
}

/** The queue exists with other settings. */
export class QueueExists extends OxbowError {
  override readonly name: string = "QueueExists";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("QUEUE_EXISTS", message, options);
  }
}

/** Another queue, a subscription or an open transaction uses the queue. */
export class QueueInUse extends OxbowError {
  override readonly name: string = "QueueInUse";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("QUEUE_IN_USE", message, options);
  }
}

/** The operation does not apply to this kind of queue: standard, FIFO, or internal. */
export class WrongQueueKind extends OxbowError {
  override readonly name: string = "WrongQueueKind";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("WRONG_QUEUE_KIND", message, options);
  }
}

/** A consumer no longer holds a message: its visibility timeout has ended, or it was deleted or received again. */
export class LeaseLost extends OxbowError {
  override readonly name: string = "LeaseLost";

  constructor(about: { queue: string; messageId: string }) {
    super(
      "LEASE_LOST",
      `Message ${about.messageId} of queue "${about.queue}" is no longer held by this consumer: another one ` +
        "may have received it, or it was deleted. Undo its work if possible.",
      { facts: about },
    );
  }
}

// ── The database ────────────────────────────────────────────────────────────────────────────────────────────

/** The database can't be reached, or the connection was lost. If `facts.sent`, the request may have been carried out. */
export class ConnectionFailed extends OxbowError {
  override readonly name: string = "ConnectionFailed";

  constructor(about: { target: string; sent: boolean; cause: unknown }) {
    const { cause, ...facts } = about;
    const why = cause instanceof Error ? cause.message : String(cause);
    const doubt = about.sent ? " It is unknown whether the request was carried out." : "";
    super("CONNECTION_FAILED", `Lost or could not reach ${about.target}: ${why}.${doubt}`, {
      cause,
      facts,
    });
  }
}

/** Oxbow is not installed in this database. */
export class NotInstalled extends OxbowError {
  override readonly name: string = "NotInstalled";

  constructor(target: string) {
    super(
      "NOT_INSTALLED",
      `Oxbow is not installed in ${target}. Run \`oxbow migrate\`, or \`create extension oxbow\` there.`,
      { facts: { target } },
    );
  }
}

/** The database and this SDK use different versions of the protocol. */
export class SchemaVersionMismatch extends OxbowError {
  override readonly name: string = "SchemaVersionMismatch";

  constructor(about: {
    target: string;
    installed: string;
    installedProtocol: number;
    supportedProtocol: number;
    /** The oldest release whose functions this SDK can call. */
    oldest?: string;
  }) {
    const isOld = about.oldest !== undefined || about.installedProtocol < about.supportedProtocol;
    const difference =
      about.oldest === undefined
        ? `speaks protocol ${about.installedProtocol}, this SDK speaks ${about.supportedProtocol}`
        : `is older than ${about.oldest}, which this SDK needs`;
    super(
      "SCHEMA_VERSION_MISMATCH",
      `Oxbow ${about.installed} in ${about.target} ${difference}. ` +
        (isOld
          ? "Run `oxbow migrate` of this version; where Oxbow is an extension, that runs ALTER EXTENSION oxbow UPDATE and SELECT queue.migrate()."
          : "Upgrade this SDK."),
      { facts: about },
    );
  }
}
