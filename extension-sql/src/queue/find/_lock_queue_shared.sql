create or replace function queue._lock_queue_shared(name text)
returns void
language plpgsql
volatile
as $function$
begin
  execute format('lock table %1$s in access share mode', queue._queue_table(_lock_queue_shared.name));
exception
  -- It was dropped while this waited.
  when undefined_table then
    perform queue._raise_queue_not_found(_lock_queue_shared.name);
end
$function$;

comment on function queue._lock_queue_shared(text) is
$comment$Keeps a queue from being dropped until the caller's transaction ends. Senders and receivers are not affected.
Errors: OX001 no such queue.
Touches: the queue's table (shared; waits while it is dropped or purged).$comment$;
