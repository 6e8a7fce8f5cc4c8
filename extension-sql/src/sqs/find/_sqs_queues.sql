create or replace function queue._sqs_queues()
returns setof queue.sqs_queue_state
language sql
stable
parallel safe
as $function$
  select
    coalesce(s.sqs_name, q.name || case q.kind when 'fifo' then '.fifo' else '' end),
    q.name, q.kind, q.visibility_timeout, q.max_receives,
    coalesce(e.sqs_name, d.name || case d.kind when 'fifo' then '.fifo' else '' end),
    q.retention_seconds, q.delay_seconds, q.deduplication_scope, coalesce(s.attributes, '{}'), coalesce(s.tags, '{}'),
    q.created_at, coalesce(s.changed_at, q.created_at)
  from queue.queue as q
  left join queue.sqs_queue as s on s.queue_name = q.name
  left join queue.queue as d on d.name = q.dead_letter_queue
  left join queue.sqs_queue as e on e.queue_name = d.name
  where q.kind <> 'workflow'
    and not pg_catalog.starts_with(q.name, '__')
    and (
      s.queue_name is not null
      -- A name that a client of SQS has given comes first.
      or not exists (
        select
        from queue.sqs_queue as o
        where o.sqs_name = q.name || case q.kind when 'fifo' then '.fifo' else '' end
      )
    )
$function$;

comment on function queue._sqs_queues() is
$comment$Lists the queues that clients of SQS see: all that don't belong to a workflow or to Oxbow. Inlined, so that a caller who names a queue reads only this one.
Returns one row per queue, in no order.
Touches: nothing; reads queue.queue, queue.sqs_queue.$comment$;
