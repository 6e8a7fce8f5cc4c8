/** Queues and messages for tests of the SQL functions, by nothing but these functions. */
import { randomBytes } from "node:crypto";
import type pg from "pg";

/** A test database, or a session in it. */
export interface Queryable {
  query<Row extends pg.QueryResultRow = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

export interface Delivery {
  readonly msg_id: string;
  readonly receipt: string;
  readonly read_ct: number;
  readonly enqueued_at: Date;
  readonly visible_at: Date;
  readonly message_group_id: string | null;
  readonly message: unknown;
  readonly headers: Record<string, unknown> | null;
}

export interface QueueSettings {
  readonly fifo?: boolean;
  /** Seconds; 0 ends each lease immediately. Default: 30. */
  readonly visibilityTimeout?: number;
  readonly maxReceives?: number;
  readonly deadLetterQueue?: string;
}

/** Creates a queue that no other test uses; returns its name. */
export async function newQueue(
  on: Queryable,
  { fifo = false, visibilityTimeout = 30, maxReceives, deadLetterQueue }: QueueSettings = {},
): Promise<string> {
  const name = uniqueQueueName();
  await on.query("select queue.create_queue($1, $2, $3, $4, $5)", [
    name,
    fifo,
    visibilityTimeout,
    maxReceives,
    deadLetterQueue,
  ]);
  return name;
}

/** Creates a queue whose messages can be received once, and become dead letters at the next receive. */
export const newMortalQueue = (
  on: Queryable,
  deadLetterQueue: string,
  fifo = false,
): Promise<string> => newQueue(on, { fifo, visibilityTimeout: 0, maxReceives: 1, deadLetterQueue });

export function uniqueQueueName(): string {
  return `test-${randomBytes(6).toString("hex")}`;
}

export async function send(on: Queryable, queue: string, message: unknown): Promise<string> {
  const rows = await on.query<{ id: string }>("select queue.send($1, $2) as id", [
    queue,
    JSON.stringify(message),
  ]);
  return only(rows).id;
}

export async function sendFifo(
  on: Queryable,
  queue: string,
  message: unknown,
  group: string,
  deduplicationId?: string,
): Promise<string> {
  const rows = await on.query<{ id: string }>("select queue.send_fifo($1, $2, $3, $4) as id", [
    queue,
    JSON.stringify(message),
    group,
    deduplicationId,
  ]);
  return only(rows).id;
}

export interface ReceiveOptions {
  readonly visibilityTimeout?: number;
  readonly matching?: unknown;
}

export async function receive(
  on: Queryable,
  queue: string,
  maxMessages = 1,
  options: ReceiveOptions = {},
): Promise<Delivery[]> {
  return receiveBy("receive", on, queue, maxMessages, options);
}

export async function receiveFifo(
  on: Queryable,
  queue: string,
  maxMessages = 1,
  options: ReceiveOptions = {},
): Promise<Delivery[]> {
  return receiveBy("receive_fifo", on, queue, maxMessages, options);
}

async function receiveBy(
  name: "receive" | "receive_fifo",
  on: Queryable,
  queue: string,
  maxMessages: number,
  { visibilityTimeout, matching }: ReceiveOptions,
): Promise<Delivery[]> {
  return on.query<Delivery & pg.QueryResultRow>(`select * from queue.${name}($1, $2, $3, $4)`, [
    queue,
    maxMessages,
    visibilityTimeout,
    matching === undefined ? undefined : JSON.stringify(matching),
  ]);
}

/** Acknowledges a delivery; false when its receipt is dead. */
export async function acknowledge(
  on: Queryable,
  queue: string,
  { receipt }: Pick<Delivery, "receipt">,
): Promise<boolean> {
  const rows = await on.query<{ alive: boolean }>("select queue.delete($1, $2) as alive", [
    queue,
    receipt,
  ]);
  return only(rows).alive;
}

export function messages(deliveries: readonly Delivery[]): unknown[] {
  return deliveries.map((delivery) => delivery.message);
}

/** The one row that there is. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) {
    throw new Error(`Expected one row, got ${rows.length}.`);
  }
  return row;
}
