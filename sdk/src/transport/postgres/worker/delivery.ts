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

/** Without what is null. */
export function toDelivery({
  hasInput,
  input,
  journal,
  continuation,
  schedule,
  trace,
  failureOf,
  retried,
  deadline,
  bytes,
  ...row
}: WorkflowReceiveRow): WorkflowDelivery {
  const tick = schedule as ScheduleRow | null;
  return {
    ...row,
    input: hasInput ? input : undefined,
    journal: (journal as readonly JournalEntry[] | null) ?? [],
    continuation: toContinuation(continuation as ContinuationRow),
    ...(tick === null
      ? {}
      : { schedule: { name: tick.name, scheduledAt: Date.parse(tick.scheduled_at) } }),
    ...(trace === null ? {} : { trace: trace as TraceHeaders }),
    ...(failureOf === null ? {} : { failureOf }),
    ...(retried === 0 ? {} : { retried }),
    ...(deadline === null ? {} : { deadline }),
    ...(bytes === null ? {} : { bytes }),
    // No input is that large.
    ...(journal === null && (bytes ?? 0) > MAX_ANSWER_BYTES ? { journalFollows: true } : {}),
  };
}
