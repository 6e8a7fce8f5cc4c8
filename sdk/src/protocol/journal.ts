/** The journal of a run: what each finished step left behind. */
import type { ErrorRecord } from "../core/error-record.ts";

/**
 * `detach`: an invoke whose output is the id of the run that it started. Releases up to 0.3 journal it as `invoke`.
 * `decision`: no step, but decisions whose commit journaled no step.
 */
export type StepKind =
  | "run"
  | "sleep"
  | "wait"
  | "rollback"
  | "invoke"
  | "detach"
  | "signal"
  | "publish"
  | "tx"
  | "decision";

/** A value that the body of a declared workflow computed only from journaled values. */
export interface Decision {
  readonly name: string;
  /** Absent if it decided on nothing. */
  readonly output?: unknown;
  /** The body decided before it got the outcome of the journal row, rather than after. */
  readonly before?: true;
}

/** One journal row, in commit order: what a finished step left behind. It never changes. */
export interface JournalEntry {
  readonly name: string;
  readonly kind: StepKind;
  /** The journaled value; absent where the step returned nothing, or timed out waiting. */
  readonly output?: unknown;
  /** Present when the step failed for good. */
  readonly error?: ErrorRecord;
  /** How many times the callback was called; 0 for a wait that timed out, and 1 for other kinds. */
  readonly attempts: number;
  /** What the body decided around this row, in order. Absent if it decided nothing, as bodies in code do. */
  readonly decisions?: readonly Decision[];
}

/** How large a journal is. */
export interface JournalSize {
  readonly rows: number;
  /** About. */
  readonly bytes: number;
}

/** A commit that exceeds one of these is refused, and the run fails with `PayloadTooLarge`. */
export const JOURNAL_LIMIT: JournalSize = { rows: 100_000, bytes: 128 * 1024 * 1024 };

/** From here on, a worker warns. */
export const LARGE_JOURNAL: JournalSize = { rows: 10_000, bytes: 64 * 1024 * 1024 };

/** A call of a step that failed, and was followed by another one. */
export interface FailedAttempt {
  /** Which call of the step, from 1; counted from 1 again after a retry of the run. */
  readonly attempt: number;
  readonly failedAt: Date;
  readonly error: ErrorRecord;
}

/** A call of a step that is under way, as its worker has reported it. */
export interface StepInProgress {
  readonly step: string;
  readonly attempt: number;
  readonly since: Date;
  /** Host and process of the worker. */
  readonly worker: string;
}

/** A journal row with its times, as shown to people. */
export interface TimedJournalEntry extends JournalEntry {
  /**
   * Errors of the calls before the last one, whose error is `error`: the first 10 and the last 90. Absent if no earlier
   * call failed.
   */
  readonly failures?: readonly FailedAttempt[];
  /** Place in the journal, from 1. It never changes while the run is in flight. */
  readonly position: number;
  readonly startedAt: Date;
  readonly completedAt: Date;
}
