/** Rows of the SQL functions of queues ↔ `protocol/queue-transport.ts`. */
import type {
  MessageDelivery,
  QueueSettings,
  QueueStatistics,
} from "../../protocol/queue-transport.ts";

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

export interface MessageRow {
  readonly msg_id: string;
  readonly receipt: string;
  readonly read_ct: number;
  readonly enqueued_at: Date;
  readonly visible_at: Date;
  readonly message_group_id: string | null;
  readonly message: unknown;
  readonly headers: Readonly<Record<string, unknown>> | null;
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

export const toMessageDelivery = (row: MessageRow): MessageDelivery => ({
  id: row.msg_id,
  receipt: row.receipt,
  body: row.message,
  headers: row.headers,
  receiveCount: row.read_ct,
  groupId: row.message_group_id,
  enqueuedAt: row.enqueued_at,
  visibleAt: row.visible_at,
});
