/** The SQL text that the SDK sends for queues: one constant a function. */
import { type Call, call, soon } from "../connection/call.ts";

/** Deals with receipts ($2), and tells those that were alive only where some were not: as a rule, all are. */
const settling = (name: string, receipts: string): Call =>
  call(
    name,
    `select count(*)::float8 as alive,
       case when count(*) < cardinality($2::bigint[]) then string_agg(receipt::text, ',') end as receipts
     from ${receipts} as receipt`,
  );

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

export const getQueue = call(
  "get_queue",
  `select name, kind, visibility_timeout, max_receives, dead_letter_queue, created_at, retention_seconds
   from queue.get_queue(name => $1)`,
);

export const queueStats = call(
  "queue_stats",
  `select visible::float8, in_flight::float8, delayed::float8, groups::float8, total_sent::float8,
     extract(epoch from oldest_message_age)::float8 * 1000 as oldest_message_age_ms
   from queue.queue_stats(name => $1)`,
);

export const sendBatch = call(
  "send_batch",
  `select id::text from queue.send_batch(
     queue => $1::text, messages => $2::jsonb[], delay_seconds => $3::numeric, headers => $4::jsonb[]) as id`,
);

export const sendFifo = call(
  "send_fifo",
  `select queue.send_fifo(
     queue => $1::text, message => $2::jsonb, message_group_id => $3::text, deduplication_id => $4::text, delay_seconds => $5::numeric,
     headers => $6::jsonb)::text as id`,
);

/** One row, of which the driver has a few texts to read rather than eight for each message: see `toDeliveries`. */
export const receive = call(
  "receive",
  `select msg_ids::text, receipts::text, read_cts::text, to_json(enqueued_ats) as enqueued_ats,
     to_json(visible_ats) as visible_ats, to_json(message_group_ids) as message_group_ids,
     to_json(messages) as messages, to_json(headers) as headers
   from queue.receive_arrays(
     queue => $1, max_messages => $2, visibility_timeout => $3, matching => $4::jsonb)`,
);

export const peek = call(
  "peek",
  `select msg_id::text, state, read_ct, enqueued_at, visible_at, message_group_id, message, headers
   from queue.peek(queue => $1, max_messages => $2, after => $3::bigint, matching => $4::text::jsonb)`,
);

export const changeVisibilityBatch = settling(
  "change_visibility_batch",
  `queue.change_visibility_batch(queue => $1::text, receipts => $2::bigint[], visibility_timeout => $3::numeric)`,
);
export const changeVisibilityBatchSoon = soon(changeVisibilityBatch);

export const giveBackBatch = settling(
  "give_back_batch",
  `queue.give_back_batch(queue => $1::text, receipts => $2::bigint[], delay_seconds => $3::numeric)`,
);

export const deleteBatch = settling(
  "delete_batch",
  `queue.delete_batch(queue => $1::text, receipts => $2::bigint[])`,
);
export const deleteBatchSoon = soon(deleteBatch);

export const redrive = call(
  "redrive",
  `select queue.redrive(dead_letter_queue => $1, max_messages => $2)::float8 as redriven`,
);

/** Of many queues, in their order; null where nothing is going to be visible within the seconds that anybody sleeps. */
export const nextVisibleIn = call(
  "next_visible_in",
  `select extract(epoch from next.at - clock_timestamp())::float8 * 1000 as delay
   from unnest($1::text[]) with ordinality as q (name, position)
   cross join lateral (select queue.next_visible_at(queue => q.name, within_seconds => 2) as at) as next
   order by q.position`,
);
