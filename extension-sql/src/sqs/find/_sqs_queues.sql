create or replace function queue._sqs_queues()
returns setof queue.sqs_queue_state
language sql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  with named as (
    select q.*, s.attributes, s.tags, s.changed_at,
      coalesce(s.sqs_name, q.name || case q.kind when 'fifo' then '.fifo' else '' end) as sqs_name
    from queue.queue as q
    left join queue.sqs_queue as s on s.queue_name = q.name
    where q.kind <> 'workflow'
      and not starts_with(q.name, '__')
      and (
        s.queue_name is not null
        -- A name that a client of SQS has given comes first.
        or not exists (
          select
          from queue.sqs_queue as o
          where o.sqs_name = q.name || case q.kind when 'fifo' then '.fifo' else '' end
        )
      )
  )
  select n.sqs_name, n.name, n.kind, n.visibility_timeout, n.max_receives, d.sqs_name, n.retention_seconds,
    n.delay_seconds, n.deduplication_scope, coalesce(n.attributes, '{}'), coalesce(n.tags, '{}'), n.created_at,
    coalesce(n.changed_at, n.created_at)
  from named as n
  left join named as d on d.name = n.dead_letter_queue
$function$;

comment on function queue._sqs_queues() is
$comment$Lists the queues that clients of SQS see: all that don't belong to a workflow or to Oxbow.
Returns one row per queue, in no order.
Touches: nothing; reads queue.queue, queue.sqs_queue.$comment$;
