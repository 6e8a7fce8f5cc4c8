/** A run as pages show it, in plain JSON: in the events of a server, and in what an application renders first. */
import type { ErrorRecord } from "../core/error-record.ts";
import type { TimedJournalEntry } from "./journal.ts";
import type { RunActivity, RunStatus } from "./run-shapes.ts";
import type { RunRecord } from "./runs.ts";

/** The facts of a run. Instants are text of ISO 8601. */
export interface ShownRun {
  readonly runId: string;
  readonly workflow: string;
  readonly version: number;
  readonly generation: number;
  readonly status: RunStatus;
  readonly activity: RunActivity | null;
  readonly startedAt: string;
  readonly completedAt: string | null;
  readonly resumesAt: string | null;
  readonly inProgress: readonly {
    readonly step: string;
    readonly attempt: number;
    readonly since: string;
  }[];
}

/** A finished step, without its output. */
export interface ShownStep {
  readonly name: string;
  readonly kind: string;
  readonly position: number;
  readonly attempts: number;
  readonly startedAt: string;
  readonly completedAt: string;
  readonly error?: ErrorRecord;
}

/** Values are as stored. */
export interface RunSnapshot extends ShownRun {
  /** The values that the run has set with `ctx.set`. */
  readonly state: Readonly<Record<string, unknown>>;
  /** The finished steps of the current generation, in order. */
  readonly steps: readonly ShownStep[];
  /** Null until the run has completed. */
  readonly output: unknown;
  /** Null unless the run has failed or was cancelled. */
  readonly error: ErrorRecord | null;
}

export const toShownRun = (run: RunRecord): ShownRun => ({
  runId: run.runId,
  workflow: run.name,
  version: run.version,
  generation: run.generation,
  status: run.status,
  activity: run.activity,
  startedAt: run.startedAt.toISOString(),
  completedAt: run.completedAt?.toISOString() ?? null,
  resumesAt: run.resumesAt?.toISOString() ?? null,
  inProgress: run.inProgress.map(({ step, attempt, since }) => ({
    step,
    attempt,
    since: since.toISOString(),
  })),
});

export const toShownStep = (step: TimedJournalEntry): ShownStep => ({
  name: step.name,
  kind: step.kind,
  position: step.position,
  attempts: step.attempts,
  startedAt: step.startedAt.toISOString(),
  completedAt: step.completedAt.toISOString(),
  ...(step.error === undefined ? {} : { error: withoutStack(step.error) }),
});

/** Whether pages show a row of the journal: decisions of declared workflows are for developers. */
export const isShown = ({ kind }: TimedJournalEntry): boolean => kind !== "decision";

/** Stacks and causes are for developers. */
export const withoutStack = ({ name, message, code }: ErrorRecord): ErrorRecord => ({
  name,
  message,
  ...(code === undefined ? {} : { code }),
});
