/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import { call, type Call, type Texts } from "@oxbow/sdk/internal/rooms";

export interface SqsQueueStateRow {
  readonly sqsName: string;
  readonly name: string;
  readonly fifo: boolean;
  readonly visibilityTimeout: number;
  readonly maxReceives: number | null;
  readonly deadLetterQueue: string | null;
  readonly retentionSeconds: number | null;
  readonly delaySeconds: number;
  readonly deduplicationScope: "queue" | "group";
  readonly attributes: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

const sqsQueueStateColumns = `sqs_name as "sqsName", name, kind = 'fifo' as "fifo", visibility_timeout as "visibilityTimeout",
    max_receives as "maxReceives", dead_letter_queue as "deadLetterQueue",
    retention_seconds as "retentionSeconds", delay_seconds as "delaySeconds",
    deduplication_scope as "deduplicationScope", attributes, tags, created_at as "createdAt",
    changed_at as "changedAt"`;

export const sqsCreateQueue: Call<
  readonly [
    sqsName: string | null,
    settings: string | null,
    attributes: string | null,
    tags: string | null,
  ],
  SqsQueueStateRow
> = call(
  "sqs_create_queue",
  `select ${sqsQueueStateColumns}
  from queue.sqs_create_queue(
    sqs_name => $1::text, settings => $2::jsonb, attributes => $3::jsonb, tags => $4::jsonb) as answer`,
);

export const sqsFindQueue: Call<readonly [sqsName: string | null], SqsQueueStateRow> = call(
  "sqs_find_queue",
  `select ${sqsQueueStateColumns}
  from queue.sqs_find_queue(sqs_name => $1::text) as answer`,
);

export const sqsListQueues: Call<
  readonly [
    prefix: string | null,
    deadLetterTo: string | null,
    maxQueues: number | null,
    after: string | null,
  ],
  SqsQueueStateRow
> = call(
  "sqs_list_queues",
  `select ${sqsQueueStateColumns}
  from queue.sqs_list_queues(
    prefix => $1::text, dead_letter_to => $2::text, max_queues => $3::integer, after => $4::text) as answer`,
);

export const sqsSetAttributes: Call<
  readonly [sqsName: string | null, settings: string | null, attributes: string | null],
  SqsQueueStateRow
> = call(
  "sqs_set_attributes",
  `select ${sqsQueueStateColumns}
  from queue.sqs_set_attributes(
    sqs_name => $1::text, settings => $2::jsonb, attributes => $3::jsonb) as answer`,
);

export const sqsTagQueue: Call<
  readonly [sqsName: string | null, tags: string | null, removed: Texts | null],
  SqsQueueStateRow
> = call(
  "sqs_tag_queue",
  `select ${sqsQueueStateColumns}
  from queue.sqs_tag_queue(
    sqs_name => $1::text, tags => $2::jsonb, removed => $3::text[]) as answer`,
);

export const sqsPurgeQueue: Call<
  readonly [sqsName: string | null],
  { readonly value: string | null }
> = call("sqs_purge_queue", `select queue.sqs_purge_queue(sqs_name => $1::text)::text as value`);

export const sqsStartMove: Call<
  readonly [source: string | null, target: string | null, maxPerSecond: number | null],
  { readonly value: string | null }
> = call(
  "sqs_start_move",
  `select queue.sqs_start_move(
    source => $1::text, target => $2::text, max_per_second => $3::integer)::text as value`,
);

export interface SqsMoveRow {
  readonly taskId: string;
  readonly source: string;
  readonly target: string | null;
  readonly maxPerSecond: number | null;
  readonly moved: number;
  readonly toMove: number;
  readonly status: "running" | "completed" | "cancelled" | "failed";
  readonly failure: string | null;
  readonly startedAt: Date;
}

export const sqsListMoves: Call<
  readonly [source: string | null, maxMoves: number | null],
  SqsMoveRow
> = call(
  "sqs_list_moves",
  `select task_id::text as "taskId", source, target, max_per_second as "maxPerSecond",
    moved::float8 as "moved", to_move::float8 as "toMove", status, failure, started_at as "startedAt"
  from queue.sqs_list_moves(source => $1::text, max_moves => $2::integer) as answer`,
);

export const sqsCancelMove: Call<
  readonly [source: string | null, taskId: string | null],
  { readonly value: string | null }
> = call(
  "sqs_cancel_move",
  `select queue.sqs_cancel_move(source => $1::text, task_id => $2::bigint)::text as value`,
);

export const sqsContinueMoves: Call<readonly [], { readonly value: number | null }> = call(
  "sqs_continue_moves",
  `select queue.sqs_continue_moves() as value`,
);
