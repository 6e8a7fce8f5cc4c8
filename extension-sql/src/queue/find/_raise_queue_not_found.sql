create or replace function queue._raise_queue_not_found(name text)
returns void
language plpgsql
volatile
parallel safe
as $function$
begin
  perform queue._raise(
    'OX001',
    format('queue "%s" does not exist', coalesce(_raise_queue_not_found.name, 'null')),
    null,
    'Create it with queue.create_queue(), or list queues with queue.list_queues().'
  );
end
$function$;

comment on function queue._raise_queue_not_found(text) is
$comment$Raises OX001 for the name of a queue.
Errors: OX001, always.
Touches: nothing.$comment$;
