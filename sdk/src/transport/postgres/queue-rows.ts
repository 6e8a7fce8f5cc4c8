/** Rows of the SQL functions of queues ↔ `protocol/queue-transport.ts`. */
import type { QueueSettings, QueueStatistics } from "../../protocol/queue-transport.ts";

export interface QueueRow {
  readonly name: string;
  readonly kind: "standard" | "fifo";
  readonly visibility_timeout: number;
  readonly max_receives: number | null;
  readonly retention_seconds: number | null;
  readonly dead_letter_queue: string | null;
  readonly created_at: Date;
}

export interface StatisticsRow {
  readonly visible: number;
  readonly in_flight: number;
  readonly delayed: number;
  readonly groups: number | null;
  readonly total_sent: number;
  readonly oldest_message_age_ms: number | null;
}

export interface SettledRow {
  /** How many of the receipts were alive. */
  readonly alive: number;
  /** Those that were, separated by commas; null where all were, or none. */
  readonly receipts: string | null;
}

export const toQueueSettings = (row: QueueRow): QueueSettings => ({
  name: row.name,
  fifo: row.kind === "fifo",
  visibilityTimeoutMs: row.visibility_timeout * 1000,
  maxReceives: row.max_receives,
  retentionMs: row.retention_seconds === null ? null : row.retention_seconds * 1000,
  deadLetterQueue: row.dead_letter_queue,
  createdAt: row.created_at,
});

export const toQueueStatistics = (row: StatisticsRow): QueueStatistics => ({
  visible: row.visible,
  inFlight: row.in_flight,
  delayed: row.delayed,
  groups: row.groups,
  totalSent: row.total_sent,
  oldestMessageAgeMs: row.oldest_message_age_ms,
});

/** Which of the receipts were alive. */
export function aliveOf({ alive, receipts }: SettledRow, asked: readonly string[]): string[] {
  if (receipts !== null) return receipts.split(",");
  return alive === 0 ? [] : [...asked];
}
