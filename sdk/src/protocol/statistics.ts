/** Figures for metrics and readiness. */
import type { RunStatus } from "./run-shapes.ts";

/** A workflow with a run that is ready, and that no worker has taken. */
export interface WorkflowLag {
  readonly name: string;
  /** How long the oldest has been ready. */
  readonly lagSeconds: number;
}

/** Durations of one kind, that fall into one bucket; in seconds. */
interface Durations {
  readonly workflow: string;
  /** How many of the bounds are not above them. */
  readonly bucket: number;
  readonly count: number;
  readonly sum: number;
}

/** Events between two reads. */
export interface WorkflowMetrics {
  /** Where the next read continues. */
  readonly until: string;
  readonly started: readonly { readonly workflow: string; readonly count: number }[];
  readonly ended: readonly (Durations & { readonly status: string })[];
  readonly steps: readonly (Durations & { readonly step: string; readonly retries: number })[];
}

export interface WorkflowChanges {
  readonly now: number;
  readonly changes: readonly {
    readonly at: number;
    readonly run_id: number;
    readonly version: number;
    readonly status: RunStatus;
    readonly error: unknown;
  }[];
}

export interface StatisticsTransport {
  /** Whether a standby answers instead of the database, except for the version. */
  readonly hasStandby: boolean;
  /** Version of the tables and functions. */
  version(): Promise<string>;
  /** How old lists, counts and metrics are, in seconds: more than 0 if a standby serves them that lags. */
  readAge(): Promise<number>;
  /** The longest first. */
  lag(): Promise<WorkflowLag[]>;
  /** Runs of a workflow that were started or have ended since, in order. Times are in microseconds since 1970. */
  changes(
    workflow: string,
    since: number | undefined,
    maxChanges: number,
  ): Promise<WorkflowChanges>;
  /** `since`: `until` of the look before; undefined to begin to count. `bounds`: of the buckets, in seconds. */
  metrics(since: string | undefined, bounds: readonly number[]): Promise<WorkflowMetrics>;
}
