/** Rows of the SQL functions of runs ↔ `protocol/runs.ts` and `protocol/journal.ts`. */
import type { ErrorRecord } from "../../../core/error-record.ts";
import { toStorableText } from "../../../core/json.ts";
import type {
  Decision,
  FailedAttempt,
  StepInProgress,
  TimedJournalEntry,
} from "../../../protocol/journal.ts";
import type { RunConditions, RunRecord, StreamChunk } from "../../../protocol/runs.ts";
import type { WorkflowChunkRow, WorkflowJournalEntryRow, WorkflowStateRow } from "./functions.ts";

interface FailureRow {
  readonly attempt: number;
  readonly failed_at: string;
  readonly error: ErrorRecord;
}

interface StepInProgressRow extends Omit<StepInProgress, "since"> {
  readonly since: string;
}

export function toRunRecord(row: WorkflowStateRow): RunRecord {
  const { resumesAt } = row;
  const calls = (row.inProgress ?? []) as readonly StepInProgressRow[];
  return {
    ...row,
    waits: (row.waits ?? []) as readonly unknown[],
    retries: ((row.retries ?? []) as readonly unknown[]).map(toShownRetry),
    // The driver reads infinity as a number.
    resumesAt: resumesAt instanceof Date ? resumesAt : null,
    inProgress: calls.map(({ since, ...call }) => ({ ...call, since: new Date(since) })),
    failures: toFailures(row.failures),
  };
}

export const toJournalEntry = ({
  output,
  hasOutput,
  error,
  failures,
  decisions,
  ...row
}: WorkflowJournalEntryRow): TimedJournalEntry => ({
  ...row,
  ...(hasOutput ? { output } : {}),
  ...(error === null ? {} : { error }),
  ...(failures === null ? {} : { failures: toFailures(failures) }),
  ...(decisions === null ? {} : { decisions: decisions as readonly Decision[] }),
});

export const toStreamChunk = ({ chunk, resetSince, ...row }: WorkflowChunkRow): StreamChunk =>
  resetSince === null
    ? { ...row, value: chunk }
    : { ...row, value: undefined, reset: true, since: resetSince };

const toFailures = (failures: unknown): FailedAttempt[] =>
  ((failures ?? []) as readonly FailureRow[]).map(({ attempt, failed_at: failedAt, error }) => ({
    attempt,
    failedAt: new Date(failedAt),
    error,
  }));

/** JSON, like every part of a continuation that is shown to people; only the names of its fields differ. */
const toShownRetry = (retry: unknown): unknown => {
  if (typeof retry !== "object" || retry === null || !("failures" in retry)) return retry;
  const failures = (retry.failures ?? []) as readonly FailureRow[];
  return {
    ...retry,
    failures: failures.map(({ attempt, failed_at: failedAt, error }) => ({
      attempt,
      failedAt,
      error,
    })),
  };
};

/** The place in a list that a cursor names; a run id is a cursor too. */
export function placeOf(cursor: string | undefined): {
  readonly runId: string | null;
  /** In microseconds. */
  readonly time: string | null;
} {
  const [first, second] = cursor?.split("-") ?? [];
  return second === undefined
    ? { runId: first ?? null, time: null }
    : { runId: second, time: first ?? null };
}

/** The filter of `workflow_list` and its like, as JSON text; what is undefined is left out. */
export const filterText = (conditions: RunConditions): string =>
  toStorableText(
    {
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
      activity: conditions.activity,
      parent: conditions.parent,
      error_text: conditions.errorText,
    },
    "a filter of runs",
  ) ?? "{}";
