/** Rows that users see. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { ErrorRecord } from "../core/error-record.ts";
import type { FailedAttempt, StepInProgress } from "./journal.ts";

/** How a run ended, or that it has not. */
export type RunStatus = "running" | "completed" | "failed" | "cancelled";

/** The activity of a running run. */
export type RunActivity =
  | "queued"
  | "ready"
  | "executing"
  | "sleeping"
  | "waiting"
  | "retrying"
  | "delayed"
  | "pausing"
  | "paused";

/** A run as `runs.get` returns it. */
export interface RunState {
  readonly runId: string;
  readonly name: string;
  readonly version: number;
  readonly status: RunStatus;
  /**
   * The current activity of a running run; null once it has ended. queued: it waits for its turn by the flow control
   * of its workflow. pausing: it was paused, and its worker finishes the running callbacks. paused: it executes
   * nothing.
   */
  readonly activity: RunActivity | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: ErrorRecord | null;
  readonly idempotencyKey: string | null;
  readonly tags: unknown;
  /** Deliveries since the last progress of a running run; more than one means that workers have crashed with it. */
  readonly attempt: number | null;
  /** Sleeps and events that the run waits for, with their deadlines. */
  readonly waits: readonly unknown[];
  /**
   * Failed steps that will be retried: attempts so far, the time of the next one, the last error, and all errors
   * (`failures`).
   */
  readonly retries: readonly unknown[];
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  /** When the run fails unless it has ended before; null for never. */
  readonly deadline: Date | null;
  /** When a blocked run resumes by itself; null if it is not blocked, or only a signal or a resume wakes it. */
  readonly resumesAt: Date | null;
  /** When the run was paused; null if it is not paused. */
  readonly pausedAt: Date | null;
  readonly pauseReason: string | null;
  /** The run that this one repeats; null unless it is a rerun. */
  readonly rerunOf: string | null;
  /** The run that has taken over its idempotency key. */
  readonly supersededBy: string | null;
  /** The tick that started the run, whose tag `schedule` names the schedule; null if no schedule did. */
  readonly scheduledAt: Date | null;
  /** Steps whose current call has taken longer than a second, as workers report them. */
  readonly inProgress: readonly StepInProgress[];
  /** The run whose failure this one handles; null unless it is a failure handler. */
  readonly failureOf: string | null;
  /** The number of retries by the `runRetry` policy of its workflow. */
  readonly retried: number;
  /** The errors before these retries. */
  readonly failures: readonly FailedAttempt[];
  /** The number of the current generation: 1 until the run continues as new by `ctx.continueAsNew`. */
  readonly generation: number;
  /** The run whose step started this one; null if it was started from outside. */
  readonly parent: string | null;
  /**
   * Whether the run executes the body of a loop once, as an item of another run of its definition or as a rerun of
   * one.
   */
  readonly isItem: boolean;
}

/** Its instants, which JSON has as text. */
export const RUN_STATE_INSTANTS = [
  "startedAt",
  "completedAt",
  "deadline",
  "resumesAt",
  "pausedAt",
  "scheduledAt",
] as const satisfies readonly (keyof RunState)[];

/** A run as `runs.list` returns it. */
export interface RunSummary {
  readonly runId: string;
  readonly name: string;
  readonly version: number;
  readonly status: RunStatus;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  /** When the run fails unless it has ended before; null for never. */
  readonly deadline: Date | null;
  /** When the run was paused; null if it is not paused. */
  readonly pausedAt: Date | null;
  readonly idempotencyKey: string | null;
  readonly tags: unknown;
  readonly error: ErrorRecord | null;
  /** The run that this one repeats; null unless it is a rerun. */
  readonly rerunOf: string | null;
  /** The run that has taken over its idempotency key. */
  readonly supersededBy: string | null;
  /** Only if the list was requested with values. */
  readonly input?: unknown;
  /** Only if the list was requested with values. */
  readonly output?: unknown;
  /** The run whose failure this one handles; null unless it is a failure handler. */
  readonly failureOf: string | null;
  /**
   * The current activity of a running run; null once it has ended. queued: it waits for its turn by the flow control
   * of its workflow. pausing: it was paused, and its worker finishes the running callbacks. paused: it executes
   * nothing.
   */
  readonly activity: RunActivity | null;
  /** The run whose step started this one; null if it was started from outside. */
  readonly parent: string | null;
}

/** Its instants, which JSON has as text. */
export const RUN_SUMMARY_INSTANTS = [
  "startedAt",
  "completedAt",
  "deadline",
  "pausedAt",
] as const satisfies readonly (keyof RunSummary)[];

/** A run that a step of another run has started. */
export interface ChildRun {
  readonly runId: string;
  readonly name: string;
  readonly version: number;
  readonly status: RunStatus;
  /** The step of the parent that started the run. */
  readonly step: string;
  /** Whether the parent does not wait for the end of the run. */
  readonly isDetached: boolean;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
}

/** Its instants, which JSON has as text. */
export const CHILD_RUN_INSTANTS = [
  "startedAt",
  "completedAt",
] as const satisfies readonly (keyof ChildRun)[];

/** What a run executed between two calls of `ctx.continueAsNew`. */
export interface RunGeneration {
  /** The number of the current generation: 1 until the run continues as new by `ctx.continueAsNew`. */
  readonly generation: number;
  readonly version: number;
  readonly startedAt: Date;
  /** When the run continued as new, or ended; null for the generation of a run in progress. */
  readonly endedAt: Date | null;
  /** The number of rows of its journal. Those of an ended generation are deleted, unless the run ended with it. */
  readonly steps: number;
  /** Only if the list was requested with values. */
  readonly input: unknown;
}

/** Its instants, which JSON has as text. */
export const RUN_GENERATION_INSTANTS = [
  "startedAt",
  "endedAt",
] as const satisfies readonly (keyof RunGeneration)[];
