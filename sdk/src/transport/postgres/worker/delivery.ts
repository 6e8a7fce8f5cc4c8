/** Rows of `workflow_receive` as deliveries. */
import type { JournalEntry } from "../../../protocol/journal.ts";
import type { TraceHeaders } from "../../../protocol/trace-headers.ts";
import type { WrittenRows } from "../../../protocol/relay.ts";
import type { WorkflowDelivery } from "../../../protocol/worker.ts";
import type { ReceiveRequest } from "../../../protocol/receive-request.ts";
import { columnTypes } from "../connection/column-types.ts";
import { type ContinuationRow, toContinuation } from "./continuation.ts";
import type { WorkflowDeliveryRow } from "./functions.ts";

/** The journals of larger runs come in pages: as in `workflow_receive`. */
const MAX_ANSWER_BYTES = 67_108_864;

interface ScheduleRow {
  readonly name: string;
  readonly scheduled_at: string;
}

/** The arguments of `workflow_receive`. */
export const receiveArguments = ({
  versions,
  maxRuns,
  leaseMs,
  suspects,
  maxBytes,
}: ReceiveRequest) =>
  [
    [...versions.keys()],
    JSON.stringify(Object.fromEntries(versions)),
    maxRuns,
    leaseMs / 1000,
    suspects ?? null,
    maxBytes === undefined ? null : String(maxBytes),
  ] as const;

/** Reads rows that a server has passed on. Its columns may have another order than ours, or there may be more. */
export function readDeliveries({ columns, rows }: WrittenRows): WorkflowDelivery[] {
  const parsers = columns.map(({ name, type }) => ({
    name,
    parse: columnTypes.getTypeParser(type) as (text: string) => unknown,
  }));
  return rows.map((row) => {
    const read: Record<string, unknown> = {};
    for (const [index, { name, parse }] of parsers.entries()) {
      const text = row[index] ?? null;
      read[name] = text === null ? null : parse(text);
    }
    return toDelivery(read as unknown as WorkflowDeliveryRow);
  });
}

/** Without the fields that are null. Field by field: a copy of the rest of a row costs more than reading it. */
export function toDelivery(row: WorkflowDeliveryRow): WorkflowDelivery {
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
