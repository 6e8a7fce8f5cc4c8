/** Queues, the topic and the schedule of the workload, and the tables that its handlers write to. */
import { createWorkflowClient } from "@oxbow/sdk";
import pg from "pg";

/** Numbers within groups; acknowledged by the consumer. */
export const ORDERED_QUEUE = "audit-ordered";
/** The same, acknowledged in the transaction of the handler. */
export const BOOKED_QUEUE = "audit-booked";
/** Each gets a copy of every note. */
export const NOTE_QUEUES = ["audit-left", "audit-right"] as const;
export const TOPIC = "audit.note";
/** What runs wait for: two that are answered, and one that never is. */
export const PAID_TOPIC = "audit.order.paid";
export const SHIPPED_TOPIC = "audit.order.shipped";
export const SILENT_TOPIC = "audit.order.silent";
export const SCHEDULE = "audit-ticks";
export const TICK_SECONDS = 2;

export interface Message {
  readonly trial: string;
  readonly group: string;
  readonly number: number;
}

/** Makes all of it in a database with Oxbow. */
export async function prepareWorkload(url: string): Promise<void> {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  await session.query(
    `create table audit_ledger (run_id bigint, step text, amount bigint);
     create table audit_inbox (trial text, message_group text, number integer)`,
  );
  await session.end();
  await using client = createWorkflowClient({ url });
  await client.queues.create(ORDERED_QUEUE, { fifo: true });
  await client.queues.create(BOOKED_QUEUE, { fifo: true });
  for (const queue of NOTE_QUEUES) {
    await client.queues.create(queue);
    await client.topics.subscribe(TOPIC, { queue });
  }
  await client.topics.subscribe(TOPIC, {
    workflow: "noted",
    options: { once_for: ["trial", "number"] },
  });
  await client.schedules.create({
    name: SCHEDULE,
    workflow: "ticked",
    every: TICK_SECONDS * 1_000,
    catchUp: { mode: "backfill", limit: 1_000 },
  });
}
