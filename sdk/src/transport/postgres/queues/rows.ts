/** Rows of the SQL functions of queues ↔ `protocol/queues.ts`. */
import type {
  MessageDelivery,
  PeekedMessage,
  QueueSettings,
  QueueStatistics,
} from "../../../protocol/queues.ts";

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

/** Messages, a column an array; null where there is none. Of numbers, as Postgres writes them: `{1,2}`. */
export interface ReceivedRow {
  readonly msg_ids: string;
  readonly receipts: string | null;
  readonly read_cts: string | null;
  readonly enqueued_ats: readonly string[] | null;
  readonly visible_ats: readonly string[] | null;
  readonly message_group_ids: readonly (string | null)[] | null;
  readonly messages: readonly unknown[] | null;
  readonly headers: readonly MessageDelivery["headers"][] | null;
}

export interface PeekedRow {
  readonly msg_id: string;
  readonly state: PeekedMessage["state"];
  readonly read_ct: number;
  readonly enqueued_at: Date;
  readonly visible_at: Date;
  readonly message_group_id: string | null;
  readonly message: unknown;
  readonly headers: PeekedMessage["headers"];
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

export function toDeliveries(row: ReceivedRow): MessageDelivery[] {
  const receipts = numbersOf(row.receipts);
  const counts = numbersOf(row.read_cts);
  const enqueuedAt = datesOf(row.enqueued_ats);
  const visibleAt = datesOf(row.visible_ats);
  return numbersOf(row.msg_ids).map((id, index) => ({
    id,
    receipt: receipts[index] ?? "",
    body: row.messages?.[index],
    headers: row.headers?.[index] ?? null,
    receiveCount: Number(counts[index]),
    groupId: row.message_group_ids?.[index] ?? null,
    enqueuedAt: enqueuedAt(index),
    visibleAt: visibleAt(index),
  }));
}

export const toPeekedMessage = (row: PeekedRow): PeekedMessage => ({
  id: row.msg_id,
  state: row.state,
  body: row.message,
  headers: row.headers,
  receiveCount: row.read_ct,
  groupId: row.message_group_id,
  enqueuedAt: row.enqueued_at,
  visibleAt: row.visible_at,
});

/** Which of the receipts were alive. */
export function aliveOf({ alive, receipts }: SettledRow, asked: readonly string[]): string[] {
  if (receipts !== null) return receipts.split(",");
  return alive === 0 ? [] : [...asked];
}

/** As Postgres reads it: `{1,2}`. The driver would quote each of them. */
export const toArrayText = (numbers: readonly string[]): string => `{${numbers.join(",")}}`;

const numbersOf = (array: string | null): string[] =>
  array === null || array === "{}" ? [] : array.slice(1, -1).split(",");

/** Messages that were sent, or received, together have one time, which is read once. */
function datesOf(texts: readonly string[] | null): (index: number) => Date {
  let last: string | undefined;
  let ms = Number.NaN;
  return (index) => {
    const text = texts?.[index];
    if (text !== last) ms = new Date(text ?? Number.NaN).getTime();
    last = text;
    return new Date(ms);
  };
}
