/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { Call } from "../../../protocol/rooms.ts";
import { call, type Numbers, type Texts } from "../connection/call.ts";

export const createQueue: Call<
  readonly [
    name: string | null,
    fifo: boolean | null,
    visibilityTimeout: number | null,
    maxReceives: number | null,
    deadLetterQueue: string | null,
    retentionSeconds: number | null,
    delaySeconds: number | null,
    deduplicationScope: string | null,
  ],
  { readonly value: boolean }
> = call(
  "create_queue",
  `select queue.create_queue(
    name => $1::text, fifo => $2::boolean, visibility_timeout => $3::integer,
    max_receives => $4::integer, dead_letter_queue => $5::text, retention_seconds => $6::integer,
    delay_seconds => $7::integer, deduplication_scope => $8::text) as value`,
);

export interface QueueSettingsRow {
  readonly name: string;
  readonly fifo: boolean;
  readonly visibilityTimeoutMs: number;
  readonly maxReceives: number | null;
  readonly deadLetterQueue: string | null;
  readonly createdAt: Date;
  readonly retentionMs: number | null;
  readonly delayMs: number;
  readonly deduplicationScope: "queue" | "group";
  readonly sqsName: string | null;
}

const queueSettingsColumns = `name, kind = 'fifo' as "fifo", visibility_timeout::float8 * 1000 as "visibilityTimeoutMs",
    max_receives as "maxReceives", dead_letter_queue as "deadLetterQueue", created_at as "createdAt",
    retention_seconds::float8 * 1000 as "retentionMs", delay_seconds::float8 * 1000 as "delayMs",
    deduplication_scope as "deduplicationScope", sqs_name as "sqsName"`;

export const alterQueue: Call<
  readonly [name: string | null, changes: string | null],
  QueueSettingsRow
> = call(
  "alter_queue",
  `select ${queueSettingsColumns}
  from queue.alter_queue(name => $1::text, changes => $2::jsonb) as answer`,
);

export const dropQueue: Call<readonly [name: string | null], { readonly value: unknown }> = call(
  "drop_queue",
  `select queue.drop_queue(name => $1::text) as value`,
);

export const purgeQueue: Call<readonly [name: string | null], { readonly value: number }> = call(
  "purge_queue",
  `select queue.purge_queue(name => $1::text)::float8 as value`,
);

export const listQueues: Call<readonly [], QueueSettingsRow> = call(
  "list_queues",
  `select ${queueSettingsColumns}
  from queue.list_queues() as answer`,
);

export const getQueue: Call<readonly [name: string | null], QueueSettingsRow> = call(
  "get_queue",
  `select ${queueSettingsColumns}
  from queue.get_queue(name => $1::text) as answer`,
);

export interface QueueStatisticsRow {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
  readonly groups: number | null;
  readonly totalSent: number;
  readonly oldestMessageAgeMs: number | null;
}

export const queueStats: Call<readonly [name: string | null], QueueStatisticsRow> = call(
  "queue_stats",
  `select visible::float8 as "visible", in_flight::float8 as "inFlight", delayed::float8 as "delayed",
    groups::float8 as "groups", total_sent::float8 as "totalSent",
    extract(epoch from oldest_message_age)::float8 * 1000 as "oldestMessageAgeMs"
  from queue.queue_stats(name => $1::text) as answer`,
);

export interface DeadLetterQueueRow {
  readonly name: string;
  readonly messages: number;
  readonly hasMore: boolean;
}

export const deadLetterQueues: Call<
  readonly [maxQueues: number | null, after: string | null],
  DeadLetterQueueRow
> = call(
  "dead_letter_queues",
  `select name, messages, has_more as "hasMore"
  from queue.dead_letter_queues(max_queues => $1::integer, after => $2::text) as answer`,
);

export interface DepthSampleRow {
  readonly sampledAt: Date;
  readonly visible: number | null;
  readonly inFlight: number | null;
  readonly delayed: number | null;
  readonly oldestAt: Date | null;
  readonly isEstimate: boolean;
}

export const queueDepths: Call<
  readonly [name: string | null, since: string | null],
  DepthSampleRow
> = call(
  "queue_depths",
  `select sampled_at as "sampledAt", visible::float8 as "visible", in_flight::float8 as "inFlight",
    delayed::float8 as "delayed", oldest_at as "oldestAt", is_estimate as "isEstimate"
  from queue.queue_depths(name => $1::text, since => $2::timestamptz) as answer`,
);

export const queueDepthsSample: Call<readonly [], { readonly value: number }> = call(
  "queue_depths_sample",
  `select queue.queue_depths_sample() as value`,
);

export const sendBatch: Call<
  readonly [
    queue: string | null,
    messages: Texts | null,
    delaySeconds: number | null,
    headers: Texts | null,
    delays: Numbers | null,
  ],
  { readonly value: string }
> = call(
  "send_batch",
  `select value::text
  from queue.send_batch(
    queue => $1::text, messages => $2::jsonb[], delay_seconds => $3::numeric, headers => $4::jsonb[],
    delays => $5::numeric[]) as answer (value)`,
);

export const sendFifo: Call<
  readonly [
    queue: string | null,
    message: string | null,
    messageGroupId: string | null,
    deduplicationId: string | null,
    delaySeconds: number | null,
    headers: string | null,
  ],
  { readonly value: string }
> = call(
  "send_fifo",
  `select queue.send_fifo(
    queue => $1::text, message => $2::jsonb, message_group_id => $3::text,
    deduplication_id => $4::text, delay_seconds => $5::numeric, headers => $6::jsonb)::text as value`,
);

export interface SentMessageRow {
  readonly id: string;
  readonly duplicate: boolean;
}

export const sendFifoBatch: Call<
  readonly [
    queue: string | null,
    messages: Texts | null,
    messageGroupIds: Texts | null,
    deduplicationIds: Texts | null,
    delaySeconds: number | null,
    headers: Texts | null,
    delays: Numbers | null,
  ],
  SentMessageRow
> = call(
  "send_fifo_batch",
  `select msg_id::text as "id", duplicate
  from queue.send_fifo_batch(
    queue => $1::text, messages => $2::jsonb[], message_group_ids => $3::text[],
    deduplication_ids => $4::text[], delay_seconds => $5::numeric, headers => $6::jsonb[],
    delays => $7::numeric[]) as answer`,
);

export interface PeekedMessageRow {
  readonly id: string;
  readonly state: "ready" | "delayed" | "in-flight" | "blocked";
  readonly receiveCount: number;
  readonly enqueuedAt: Date;
  readonly visibleAt: Date;
  readonly groupId: string | null;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>> | null;
}

export const peek: Call<
  readonly [
    queue: string | null,
    maxMessages: number | null,
    after: string | null,
    matching: string | null,
  ],
  PeekedMessageRow
> = call(
  "peek",
  `select msg_id::text as "id", state, read_ct as "receiveCount", enqueued_at as "enqueuedAt",
    visible_at as "visibleAt", message_group_id as "groupId", message as "body", headers
  from queue.peek(
    queue => $1::text, max_messages => $2::integer, after => $3::bigint, matching => $4::jsonb) as answer`,
);

export interface SettledReceiptsRow {
  readonly alive: number;
  readonly receipts: string | null;
}

const settledReceiptsColumns = `count(*)::float8 as "alive",
    case when count(*) < cardinality($2::bigint[]) then string_agg(value::text, ',') end as "receipts"`;

export const changeVisibilityBatch: Call<
  readonly [
    queue: string | null,
    receipts: string | null,
    visibilityTimeout: number | null,
    heartbeat: boolean | null,
    inFlightOnly: boolean | null,
  ],
  SettledReceiptsRow
> = call(
  "change_visibility_batch",
  `select ${settledReceiptsColumns}
  from queue.change_visibility_batch(
    queue => $1::text, receipts => $2::bigint[], visibility_timeout => $3::numeric,
    heartbeat => $4::boolean, in_flight_only => $5::boolean) as answer (value)`,
);

export const deleteBatch: Call<
  readonly [queue: string | null, receipts: string | null, inFlightOnly: boolean | null],
  SettledReceiptsRow
> = call(
  "delete_batch",
  `select ${settledReceiptsColumns}
  from queue.delete_batch(
    queue => $1::text, receipts => $2::bigint[], in_flight_only => $3::boolean) as answer (value)`,
);

export const giveBackBatch: Call<
  readonly [queue: string | null, receipts: string | null, delaySeconds: number | null],
  SettledReceiptsRow
> = call(
  "give_back_batch",
  `select ${settledReceiptsColumns}
  from queue.give_back_batch(
    queue => $1::text, receipts => $2::bigint[], delay_seconds => $3::numeric) as answer (value)`,
);

export const redrive: Call<
  readonly [deadLetterQueue: string | null, maxMessages: number | null, messageIds: Texts | null],
  { readonly value: number }
> = call(
  "redrive",
  `select queue.redrive(
    dead_letter_queue => $1::text, max_messages => $2::integer, message_ids => $3::bigint[])::float8 as value`,
);

export const moveMessages: Call<
  readonly [source: string | null, target: string | null, maxMessages: number | null],
  { readonly value: number }
> = call(
  "move_messages",
  `select queue.move_messages(
    source => $1::text, target => $2::text, max_messages => $3::integer)::float8 as value`,
);
