import type { ErrorRecord } from "../core/error-record.ts";
import type { JournalSize } from "../protocol/journal.ts";

/** The run of an event. */
export interface RunFacts {
  readonly workflow: string;
  readonly version: number;
  readonly runId: string;
}

/** The events of a worker. */
export interface WorkerEvents {
  /**
   * A run was received, or, if `isLocal`, leased to this worker by a start of its own process. `replayed` steps come from
   * its journal.
   */
  runReceived: RunFacts & {
    readonly attempt: number;
    readonly replayed: number;
    readonly isLocal: boolean;
  };
  runCompleted: RunFacts;
  /** The body failed, and `runRetry` of the workflow retries the run at `resumeAt` (database time). */
  runRetried: RunFacts & { readonly error: ErrorRecord; readonly resumeAt: number };
  /** The body returned `ctx.continueAsNew`: the run has begun this generation, which any worker may receive. */
  runContinued: RunFacts & { readonly generation: number };
  /**
   * The journal of the run has reached a size from which on it costs: so many rows, or so many bytes. It is emitted once
   * for each of the two, as a rule.
   */
  journalGrown: RunFacts & JournalSize;
  /**
   * The body returned, and has never awaited these steps, as after a forgotten `await`. Unfinished
   * steps were dropped. The run has completed; with `strict: true` of the workflow, it fails instead.
   */
  stepsNotAwaited: RunFacts & { readonly steps: readonly string[] };
  runFailed: RunFacts & { readonly error: ErrorRecord };
  /** Every branch is blocked: the run leaves the worker until `resumeAt` (database time), or a signal. */
  runSuspended: RunFacts & { readonly resumeAt?: number };
  /** The worker drops the run: its lease ended, or it was cancelled. The worker writes nothing further for it. */
  runDropped: RunFacts & { readonly reason: "lost" | "cancelled" | "released" | "failed" };
  stepStarted: RunFacts & { readonly step: string; readonly attempt: number };
  stepSucceeded: RunFacts & {
    readonly step: string;
    readonly attempt: number;
    readonly durationMs: number;
  };
  /** One attempt of the step failed; the step's retries decide whether another follows. */
  stepFailed: RunFacts & {
    readonly step: string;
    readonly attempt: number;
    readonly durationMs: number;
    readonly error: unknown;
  };
  /** A tick of a schedule was carried out. `runId` is null if the schedule's last run is still in progress and must not overlap. */
  scheduleTicked: {
    readonly schedule: string;
    readonly scheduledAt: Date;
    readonly runId: string | null;
  };
  /** An operation of the worker itself failed; the worker continues. */
  trouble: { readonly doing: string; readonly error: unknown };
}
