import type { ErrorRecord } from "../core/error-record.ts";

/** Which run an event is about. */
export interface RunFacts {
  readonly workflow: string;
  readonly version: number;
  readonly runId: string;
}

/** What a worker tells to logs, metrics, traces and tests. */
export interface WorkerEvents {
  /** A run was received. `replayed` steps come from its journal. */
  runReceived: RunFacts & { readonly attempt: number; readonly replayed: number };
  runCompleted: RunFacts;
  /** The body failed, and the run gets another attempt at `resumeAt` (database time), by the policy of its workflow. */
  runRetried: RunFacts & { readonly error: ErrorRecord; readonly resumeAt: number };
  runFailed: RunFacts & { readonly error: ErrorRecord };
  /** Every branch is blocked; the run is with the database until `resumeAt` (database time), or a signal. */
  runSuspended: RunFacts & { readonly resumeAt?: number };
  /** The run was taken away from this worker: its lease ended, or it was cancelled. Nothing more of it is written. */
  runDropped: RunFacts & { readonly reason: "lost" | "cancelled" | "released" | "failed" };
  stepStarted: RunFacts & { readonly step: string; readonly attempt: number };
  stepSucceeded: RunFacts & {
    readonly step: string;
    readonly attempt: number;
    readonly durationMs: number;
  };
  /** One call of the callback failed; whether it is tried again is up to the step's retries. */
  stepFailed: RunFacts & {
    readonly step: string;
    readonly attempt: number;
    readonly durationMs: number;
    readonly error: unknown;
  };
  /** A tick of a schedule was carried out. `runId` is null where the last run is still running, and must not overlap. */
  scheduleTicked: {
    readonly schedule: string;
    readonly scheduledAt: Date;
    readonly runId: string | null;
  };
  /** Something went wrong that is not a workflow's own; the worker goes on. */
  trouble: { readonly doing: string; readonly error: unknown };
}
