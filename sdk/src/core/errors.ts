/**
 * The error classes that Oxbow throws. A message contains the operation, the run and step, and a remedy; `facts` holds
 * the same for programs. `error-catalogue.ts` lists all codes.
 *
 * Codes never change; messages may. Compare errors by class or code, never by message.
 */
import type { ErrorCode } from "./error-catalogue.ts";
import type { ErrorRecord } from "./error-record.ts";

/** What an error is about, by name: run ids, steps, limits, offending values. */
export type Facts = Readonly<Record<string, unknown>>;

export interface OxbowErrorOptions {
  readonly cause?: unknown;
  readonly facts?: Facts;
}

/** The class that all the others extend. */
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

/** A step has failed for good. `cause` is what its last attempt threw, as journaled. Meant to be caught. */
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

/** A run has ended, and some of its rollbacks failed for good. `cause` is what the run itself ended by. */
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
        `${reason} Undo by hand what those steps did.`,
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

/** A query came after the transaction of its `step.tx`: of an attempt that timed out, or that nothing awaited. */
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

/** Two steps of one run have the same name. Fails the run, even where it is caught. */
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

/** A body does something else than what its journal says that it did. Fails the run, even where it is caught. */
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

/** A value can't be journaled. Names the JSON path of what is wrong. A step's attempts end with it. */
export class SerializationError extends OxbowError {
  override readonly name: string = "SerializationError";

  constructor(what: string, path: string, problem: string, options: OxbowErrorOptions = {}) {
    super("SERIALIZATION_FAILED", `Cannot journal ${what}: ${path} ${problem}`, {
      ...options,
      facts: { what, path, ...options.facts },
    });
  }
}

// ── How a run ended, for those who wait for its result ──────────────────────────────────────────────────────

/** A run failed. `cause` is its error, rebuilt; `error` the record of it. */
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

/** In a test: a run waits for something that nothing brings. The message says for what. */
export class RunBlocked extends OxbowError {
  override readonly name: string = "RunBlocked";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("RUN_BLOCKED", message, options);
  }
}

/** A run was delivered again and again without getting anywhere: its worker dies each time. */
export class PoisonedRun extends OxbowError {
  override readonly name: string = "PoisonedRun";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("POISONED_RUN", message, options);
  }
}

/** A run did not end by its deadline, or something waited for longer than it was told to. */
export class DeadlineExceeded extends OxbowError {
  override readonly name: string = "DeadlineExceeded";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("DEADLINE_EXCEEDED", message, options);
  }
}

// ── What was asked can't be done ────────────────────────────────────────────────────────────────────────────

/** A name that breaks the rules; the message has the rule. */
export class InvalidName extends OxbowError {
  override readonly name: string = "InvalidName";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("INVALID_NAME", message, options);
  }
}

/** An argument or option that makes no sense; the message names it. */
export class InvalidArgument extends OxbowError {
  override readonly name: string = "InvalidArgument";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("INVALID_ARGUMENT", message, options);
  }
}

/** One thing that a schema found wrong. */
export interface ValidationIssue {
  /** Where, like `$.address.zip`; `$` is the value itself. */
  readonly path: string;
  readonly message: string;
}

/** A value that does not pass its schema. */
export class ValidationFailed extends OxbowError {
  override readonly name: string = "ValidationFailed";
  readonly issues: readonly ValidationIssue[];

  constructor(what: string, issues: readonly ValidationIssue[]) {
    const list = issues.map((issue) => `${issue.path}: ${issue.message}`).join("; ");
    super("VALIDATION_FAILED", `Invalid ${what}: ${list}`, { facts: { what, issues } });
    this.issues = issues;
  }
}

/** More data than a run, a step or a message may hold. */
export class PayloadTooLarge extends OxbowError {
  override readonly name: string = "PayloadTooLarge";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("PAYLOAD_TOO_LARGE", message, options);
  }
}

export class RunNotFound extends OxbowError {
  override readonly name: string = "RunNotFound";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("RUN_NOT_FOUND", message, options);
  }
}

export class ScheduleNotFound extends OxbowError {
  override readonly name: string = "ScheduleNotFound";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("SCHEDULE_NOT_FOUND", message, options);
  }
}

/** The same idempotency key was used for something else. */
export class IdempotencyConflict extends OxbowError {
  override readonly name: string = "IdempotencyConflict";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("IDEMPOTENCY_CONFLICT", message, options);
  }
}

export class QueueNotFound extends OxbowError {
  override readonly name: string = "QueueNotFound";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("QUEUE_NOT_FOUND", message, options);
  }
}

/** The queue is there already, with other settings. */
export class QueueExists extends OxbowError {
  override readonly name: string = "QueueExists";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("QUEUE_EXISTS", message, options);
  }
}

export class QueueInUse extends OxbowError {
  override readonly name: string = "QueueInUse";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("QUEUE_IN_USE", message, options);
  }
}

/** FIFO was asked of a queue that isn't, or the other way round. */
export class WrongQueueKind extends OxbowError {
  override readonly name: string = "WrongQueueKind";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("WRONG_QUEUE_KIND", message, options);
  }
}

/** A message is no longer this consumer's: its visibility timeout has ended, and somebody else may have it. */
export class LeaseLost extends OxbowError {
  override readonly name: string = "LeaseLost";

  constructor(about: { queue: string; messageId: string }) {
    super(
      "LEASE_LOST",
      `Message ${about.messageId} of queue "${about.queue}" is no longer held by this consumer: somebody has ` +
        "deleted it, or received it again, or may have. Take back what you did for it, if you can.",
      { facts: about },
    );
  }
}

// ── The database ────────────────────────────────────────────────────────────────────────────────────────────

/** The database can't be reached, or was lost. `facts.sent` tells whether the request may have been carried out. */
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

/** There is no Oxbow in this database. */
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

/** The database speaks another version of the protocol than this SDK. */
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
