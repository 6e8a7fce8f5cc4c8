create or replace function queue._sqs_queue_name(sqs_name text)
returns text
language sql
stable
parallel safe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
  select coalesce(
    (select s.queue_name from queue.sqs_queue as s where s.sqs_name = _sqs_queue_name.sqs_name),
    (
      select q.name
      from queue.queue as q
      where q.name = regexp_replace(_sqs_queue_name.sqs_name, '[.]fifo$', '')
        and q.kind = case when _sqs_queue_name.sqs_name like '%.fifo' then 'fifo' else 'standard' end
        and not starts_with(q.name, '__')
        and not exists (select from queue.sqs_queue as s where s.queue_name = q.name)
    )
  )
$function$;

comment on function queue._sqs_queue_name(text) is
$comment$Returns the name of the queue that clients of SQS know by a name: the given one, or else the derived one.
Returns null if there is no such queue.
Touches: nothing; reads queue.queue, queue.sqs_queue.$comment$;
