/** Rows of `workflow_receive` as deliveries. */
import type { JournalEntry } from "../../../protocol/journal.ts";
import type { TraceHeaders } from "../../../protocol/trace-headers.ts";
import type { WorkflowDelivery } from "../../../protocol/worker.ts";
import { type ContinuationRow, toContinuation } from "./continuation.ts";
import type { WorkflowReceiveRow } from "./functions.ts";

/** The journals of larger runs come in pages: as in `workflow_receive`. */
const MAX_ANSWER_BYTES = 67_108_864;

interface ScheduleRow {
  readonly name: string;
  readonly scheduled_at: string;
}

/** Without the fields that are null. Field by field: a copy of the rest of a row costs more than reading it. */
export function toDelivery(row: WorkflowReceiveRow): WorkflowDelivery {
  const { failureOf, retried, deadline, bytes, generation } = row;
  const tick = row.schedule as ScheduleRow | null;
  return {
    runId: row.runId,
    receipt: row.receipt,
    name: row.name,
    version: row.version,
    attempt: row.attempt,
    input: row.hasInput ? row.input : undefined,
    journal: (row.journal as readonly JournalEntry[] | null) ?? [],
    continuation: toContinuation(row.continuation as ContinuationRow),
    startedAt: row.startedAt,
    receivedAt: row.receivedAt,
    ...(tick === null
      ? {}
      : { schedule: { name: tick.name, scheduledAt: Date.parse(tick.scheduled_at) } }),
    ...(row.trace === null ? {} : { trace: row.trace as TraceHeaders }),
    ...(failureOf === null ? {} : { failureOf }),
    ...(retried === 0 ? {} : { retried }),
    ...(deadline === null ? {} : { deadline }),
    ...(bytes === null ? {} : { bytes }),
    ...(generation === 1 ? {} : { generation }),
    // No input is that large.
    ...(row.journal === null && (bytes ?? 0) > MAX_ANSWER_BYTES ? { journalFollows: true } : {}),
  };
}
