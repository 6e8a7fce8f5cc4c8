/** Rows of the SQL functions of runs ↔ `protocol/runs.ts` and `protocol/journal.ts`. */
import type { ErrorRecord } from "../../../core/error-record.ts";
import type {
  FailedAttempt,
  StepInProgress,
  StepKind,
  TimedJournalEntry,
} from "../../../protocol/journal.ts";
import type { ChildListing, RunConditions, RunListing, RunRecord } from "../../../protocol/runs.ts";

interface FailureRow {
  readonly attempt: number;
  readonly failed_at: string;
  readonly error: ErrorRecord;
}

interface StepInProgressRow {
  readonly step: string;
  readonly attempt: number;
  readonly since: string;
  readonly worker: string;
}

export interface JournalRow {
  readonly name: string;
  readonly kind: StepKind;
  readonly attempts: number;
  readonly output: unknown;
  readonly is_empty: boolean;
  readonly error: ErrorRecord | null;
  readonly started_at: Date;
  readonly completed_at: Date;
  readonly position: number;
  readonly failures: readonly FailureRow[] | null;
}

export interface RunRow {
  readonly run_id: string;
  readonly name: string;
  readonly version: number;
  readonly status: RunRecord["status"];
  readonly activity: RunRecord["activity"];
  readonly input: unknown;
  readonly is_empty: boolean;
  readonly output: unknown;
  readonly is_void: boolean;
  readonly error: unknown;
  readonly idempotency_key: string | null;
  readonly tags: unknown;
  readonly attempt: number | null;
  readonly waits: unknown;
  readonly retries: unknown;
  readonly started_at: Date;
  readonly completed_at: Date | null;
  readonly deadline: Date | null;
  readonly resumes_at: Date | number | null;
  readonly paused_at: Date | null;
  readonly pause_reason: string | null;
  readonly rerun_of: string | null;
  readonly superseded_by: string | null;
  readonly scheduled_at: Date | null;
  readonly in_progress: readonly StepInProgressRow[] | null;
  readonly failure_of: string | null;
  readonly retried: number;
  readonly failures: readonly FailureRow[] | null;
}

export interface ListingRow {
  readonly run_id: string;
  readonly name: string;
  readonly version: number;
  readonly status: RunListing["status"];
  readonly started_at: Date;
  readonly completed_at: Date | null;
  readonly deadline: Date | null;
  readonly paused_at: Date | null;
  readonly idempotency_key: string | null;
  readonly tags: unknown;
  readonly error: unknown;
  readonly rerun_of: string | null;
  readonly superseded_by: string | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly cursor: string;
  readonly failure_of: string | null;
}

export interface ChildRow {
  readonly run_id: string;
  readonly name: string;
  readonly version: number;
  readonly status: ChildListing["status"];
  readonly parent_step: string;
  readonly is_detached: boolean;
  readonly started_at: Date;
  readonly completed_at: Date | null;
  readonly cursor: string;
}

export const toChildRun = (row: ChildRow): ChildListing => ({
  runId: row.run_id,
  name: row.name,
  version: row.version,
  status: row.status,
  step: row.parent_step,
  isDetached: row.is_detached,
  startedAt: row.started_at,
  completedAt: row.completed_at,
  cursor: row.cursor,
});

export const toJournalEntry = (row: JournalRow): TimedJournalEntry => ({
  name: row.name,
  kind: row.kind,
  attempts: row.attempts,
  ...(row.is_empty ? {} : { output: row.output }),
  ...(row.error === null ? {} : { error: row.error }),
  startedAt: row.started_at,
  completedAt: row.completed_at,
  position: row.position,
  ...(row.failures === null ? {} : { failures: row.failures.map(toFailure) }),
});

const toFailure = ({ attempt, failed_at, error }: FailureRow): FailedAttempt => ({
  attempt,
  failedAt: new Date(failed_at),
  error,
});

const toStepInProgress = ({ since, ...call }: StepInProgressRow): StepInProgress => ({
  ...call,
  since: new Date(since),
});

/** As JSON, like all of a continuation that is shown to people; only the name is ours. */
const toShownRetry = (retry: unknown): unknown => {
  if (typeof retry !== "object" || retry === null || !("failures" in retry)) return retry;
  const failures = (retry.failures ?? []) as readonly FailureRow[];
  return {
    ...retry,
    failures: failures.map(({ attempt, failed_at, error }) => ({
      attempt,
      failedAt: failed_at,
      error,
    })),
  };
};

export const toRunRecord = (row: RunRow): RunRecord => ({
  runId: row.run_id,
  name: row.name,
  version: row.version,
  status: row.status,
  activity: row.activity,
  input: row.input,
  hasInput: !row.is_empty,
  output: row.output,
  hasOutput: !row.is_void,
  error: row.error,
  idempotencyKey: row.idempotency_key,
  tags: row.tags,
  attempt: row.attempt,
  waits: row.waits,
  retries: Array.isArray(row.retries) ? row.retries.map(toShownRetry) : row.retries,
  startedAt: row.started_at,
  completedAt: row.completed_at,
  deadline: row.deadline,
  resumesAt: row.resumes_at,
  pausedAt: row.paused_at,
  pauseReason: row.pause_reason,
  rerunOf: row.rerun_of,
  supersededBy: row.superseded_by,
  scheduledAt: row.scheduled_at,
  inProgress: (row.in_progress ?? []).map(toStepInProgress),
  failureOf: row.failure_of,
  retried: row.retried,
  failures: (row.failures ?? []).map(toFailure),
});

export const toListing = (row: ListingRow): RunListing => ({
  runId: row.run_id,
  name: row.name,
  version: row.version,
  status: row.status,
  startedAt: row.started_at,
  completedAt: row.completed_at,
  deadline: row.deadline,
  pausedAt: row.paused_at,
  idempotencyKey: row.idempotency_key,
  tags: row.tags,
  error: row.error,
  rerunOf: row.rerun_of,
  supersededBy: row.superseded_by,
  input: row.input,
  output: row.output,
  cursor: row.cursor,
  failureOf: row.failure_of,
});

/** The run id and the time of a cursor; a run id alone is one too. */
export function cursorArguments(cursor: string | undefined): [string | null, string | null] {
  if (cursor === undefined) return [null, null];
  const [first = "", second] = cursor.split("-");
  return second === undefined ? [first, null] : [second, first];
}

/** The filter of `workflow_list` and its like, as JSON text; what is undefined is left out. */
export const filterText = (conditions: RunConditions): string =>
  JSON.stringify({
    name: conditions.name,
    version: conditions.version,
    status: conditions.status,
    paused: conditions.paused,
    started_after: conditions.startedAfter,
    started_before: conditions.startedBefore,
    completed_after: conditions.completedAfter,
    completed_before: conditions.completedBefore,
    tags: conditions.tags,
    input: conditions.input,
    error_code: conditions.errorCode,
    idempotency_key: conditions.idempotencyKey,
  });
