/** The SQL text that the SDK sends for queues: one constant a function. */
import { call } from "./calls.ts";

export const createQueue = call(
  "create_queue",
  `select queue.create_queue(
     name => $1, fifo => $2, visibility_timeout => $3, max_receives => $4, dead_letter_queue => $5,
     retention_seconds => $6) as created`,
);

export const dropQueue = call("drop_queue", `select queue.drop_queue(name => $1)`);

export const purgeQueue = call(
  "purge_queue",
  `select queue.purge_queue(name => $1)::float8 as purged`,
);

export const listQueues = call(
  "list_queues",
  `select name, kind, visibility_timeout, max_receives, dead_letter_queue, created_at, retention_seconds
   from queue.list_queues()`,
);

export const queueKind = call("queue_kind", `select kind from queue.list_queues() where name = $1`);

export const queueStats = call(
  "queue_stats",
  `select visible::float8, in_flight::float8, delayed::float8, groups::float8, total_sent::float8,
     extract(epoch from oldest_message_age)::float8 * 1000 as oldest_message_age_ms
   from queue.queue_stats(name => $1)`,
);

export const sendBatch = call(
  "send_batch",
  `select id from queue.send_batch(
     queue => $1, messages => $2::jsonb[], delay_seconds => $3, headers => $4::jsonb[]) as id`,
);

export const sendFifo = call(
  "send_fifo",
  `select queue.send_fifo(
     queue => $1, message => $2::jsonb, message_group_id => $3, deduplication_id => $4, delay_seconds => $5,
     headers => $6::jsonb) as id`,
);

const DELIVERY = `msg_id, receipt, read_ct, enqueued_at, visible_at, message_group_id, message, headers`;

export const receive = call(
  "receive",
  `select ${DELIVERY} from queue.receive(
     queue => $1, max_messages => $2, visibility_timeout => $3, matching => $4::jsonb)`,
);

export const receiveFifo = call(
  "receive_fifo",
  `select ${DELIVERY} from queue.receive_fifo(
     queue => $1, max_messages => $2, visibility_timeout => $3, matching => $4::jsonb)`,
);

export const changeVisibilityBatch = call(
  "change_visibility_batch",
  `select receipt from queue.change_visibility_batch(
     queue => $1, receipts => $2, visibility_timeout => $3) as receipt`,
);

export const giveBackBatch = call(
  "give_back_batch",
  `select receipt from queue.give_back_batch(
     queue => $1, receipts => $2, delay_seconds => $3) as receipt`,
);

export const deleteBatch = call(
  "delete_batch",
  `select receipt from queue.delete_batch(queue => $1, receipts => $2) as receipt`,
);

export const redrive = call(
  "redrive",
  `select queue.redrive(dead_letter_queue => $1, max_messages => $2)::float8 as redriven`,
);

/** Of many queues, in their order; null where nothing is going to be visible by itself. */
export const nextVisibleIn = call(
  "next_visible_in",
  `select extract(epoch from next.at - clock_timestamp())::float8 * 1000 as delay
   from unnest($1::text[]) with ordinality as q (name, position)
   cross join lateral (select queue.next_visible_at(queue => q.name) as at) as next
   order by q.position`,
);
