/** Rows of the SQL functions of workers ↔ `protocol/worker.ts`. */
import type { JournalEntry } from "../../../protocol/journal.ts";
import type { TraceHeaders } from "../../../protocol/trace-headers.ts";
import type { LeaseNotice, WorkflowDelivery } from "../../../protocol/worker.ts";
import { type ContinuationRow, toContinuation } from "./continuation.ts";

/** The journals of larger runs come in pages: as in `workflow_receive`. */
const MAX_ANSWER_BYTES = 67_108_864;

export interface DeliveryRow {
  readonly run_id: string;
  readonly receipt: string;
  readonly name: string;
  readonly version: number;
  readonly attempt: number;
  readonly input: unknown;
  readonly is_empty: boolean;
  readonly journal: readonly JournalEntry[] | null;
  readonly continuation: ContinuationRow;
  readonly started_at: number;
  readonly received_at: number;
  readonly schedule: { readonly name: string; readonly scheduled_at: string } | null;
  readonly trace: TraceHeaders | null;
  readonly failure_of: string | null;
  readonly retried: number;
  readonly deadline: number | null;
  readonly bytes: number | null;
}

export interface LeaseNoticeRow {
  readonly run_id: string;
  readonly receipt: string;
  readonly outcome: LeaseNotice["outcome"];
}

export const toDelivery = (row: DeliveryRow): WorkflowDelivery => ({
  runId: row.run_id,
  receipt: row.receipt,
  name: row.name,
  version: row.version,
  attempt: row.attempt,
  input: row.is_empty ? undefined : row.input,
  journal: row.journal ?? [],
  continuation: toContinuation(row.continuation),
  startedAt: row.started_at,
  receivedAt: row.received_at,
  ...(row.schedule === null
    ? {}
    : {
        schedule: {
          name: row.schedule.name,
          scheduledAt: Date.parse(row.schedule.scheduled_at),
        },
      }),
  ...(row.trace === null ? {} : { trace: row.trace }),
  ...(row.failure_of === null ? {} : { failureOf: row.failure_of }),
  ...(row.retried === 0 ? {} : { retried: row.retried }),
  ...(row.deadline === null ? {} : { deadline: row.deadline }),
  ...(row.bytes === null ? {} : { bytes: row.bytes }),
  // No input is that large.
  ...(row.journal === null && (row.bytes ?? 0) > MAX_ANSWER_BYTES ? { journalFollows: true } : {}),
});

export const toLeaseNotice = (row: LeaseNoticeRow): LeaseNotice => ({
  runId: row.run_id,
  receipt: row.receipt,
  outcome: row.outcome,
});
