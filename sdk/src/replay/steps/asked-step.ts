/**
 * The seam between the engine and its verbs: the face of a step, and the parts of the engine that a step may use.
 * `../body.ts` takes what is asked for, and refuses a name that is used twice.
 */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Clock } from "../../core/clock.ts";
import type { RetryPolicy } from "../../core/retry-policy.ts";
import type { Codec } from "../../core/codec.ts";
import type { ErrorRecord } from "../../core/error-record.ts";
import type { StepEffect, StepRecord } from "../../protocol/commit.ts";
import type { StepKind } from "../../protocol/journal.ts";
import type { Commits, Mark } from "../commits.ts";
import type { StepCall } from "../effects.ts";
import type { NextContinuation } from "../next-continuation.ts";
import type { StepPromise } from "../step-promise.ts";

/** The outcome of a step, in its journaled form (R4). */
export interface Outcome {
  readonly output?: unknown;
  readonly error?: ErrorRecord;
  readonly attempts: number;
}

/** A step that the body has asked for: one class a verb. */
export interface AskedStep<Value = unknown> {
  readonly name: string;
  readonly kind: StepKind;
  /** The promise that the body got. */
  readonly promise: StepPromise<Value>;
  /** The body has got the outcome. */
  readonly hasEnded: boolean;
  /** Begins the step, because nothing is journaled under its name. */
  begin(): void;
  /** Hands the outcome, new or from the journal, to the body. */
  end(outcome: Outcome): void;
  /** Ends the step without an outcome, and takes back its wait, retry and unsent effects (R15). */
  abandon(): Abandonment;
}

/** A step that may have a deadline. */
export interface TimedStep<Value = unknown> extends AskedStep<Value> {
  /** The deadline of the step has passed. */
  fallDue(): void;
}

export interface CallableStep extends AskedStep {
  /** The callback is called once this mark is reached. */
  readonly mark: Mark;
  toCall(): StepCall;
}

/** An abandoned step, for the journal. */
export interface Abandonment {
  readonly attempts: number;
  /** When the step, or its last call, began; undefined if it has not begun. */
  readonly since: number | undefined;
  /** Undoes an effect of the step that was sent. */
  readonly effect?: StepEffect;
}

/** The calls by which a step says what happens to it next. */
export interface StepAgenda {
  setDeadline(until: number, step: TimedStep): void;
  call(step: CallableStep): void;
  finish(step: AskedStep, outcome: Outcome, record: StepRecord): void;
  /** A callback has returned or thrown, or its step is abandoned. */
  answered(): void;
}

/** The parts of the engine that a step may use. */
export interface StepHost {
  readonly runId: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** The policy of steps without one. */
  readonly retry: RetryPolicy;
  readonly codec: Codec;
  readonly validate: (schema: StandardSchemaV1, value: unknown, what: string) => Promise<unknown>;
  readonly agenda: StepAgenda;
  readonly continuation: NextContinuation;
  readonly commits: Pick<Commits, "mark" | "nextMark" | "addEffect" | "addRequest" | "dropEffects">;
}
