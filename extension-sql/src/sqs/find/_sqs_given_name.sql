create or replace function queue._sqs_given_name(queue text)
returns text
language sql
stable
parallel safe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
  select s.sqs_name
  from queue.sqs_queue as s
  where s.queue_name = _sqs_given_name.queue
    and s.sqs_name <> s.queue_name
$function$;

comment on function queue._sqs_given_name(text) is
$comment$Returns the name that a client of SQS has given to a queue, if it isn't that of the queue itself.
Returns null if no such client has created or changed the queue, or the names are the same.
Touches: nothing; reads queue.sqs_queue.$comment$;
