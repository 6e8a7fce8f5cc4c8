create or replace function queue._record_sqs_queue(
  queue      queue.sqs_queue_state,
  attributes jsonb default '{}',
  tags       jsonb default '{}',
  removed    text[] default '{}',
  purged_at  timestamptz default null
)
returns void
language sql
volatile
set search_path = pg_catalog, pg_temp
as $function$
  insert into queue.sqs_queue as s (queue_name, sqs_name, attributes, tags, changed_at, purged_at)
  values (
    (_record_sqs_queue.queue).name, (_record_sqs_queue.queue).sqs_name, jsonb_strip_nulls(_record_sqs_queue.attributes), _record_sqs_queue.tags,
    clock_timestamp(), _record_sqs_queue.purged_at
  )
  on conflict on constraint sqs_queue_pkey do update
  set attributes = jsonb_strip_nulls(s.attributes || _record_sqs_queue.attributes),
    tags = s.tags - _record_sqs_queue.removed || excluded.tags,
    changed_at = case when excluded.purged_at is null then excluded.changed_at else s.changed_at end,
    purged_at = coalesce(excluded.purged_at, s.purged_at)
$function$;

comment on function queue._record_sqs_queue(queue.sqs_queue_state, jsonb, jsonb, text[], timestamptz) is
$comment$Writes what clients of SQS know of a queue.
queue: as it was found.
attributes: the changed ones; null removes one.
tags: the changed ones.
removed: names of tags that go.
purged_at: when it was purged; null if it was not.
Touches: queue.sqs_queue (waits for another call for the queue).$comment$;
