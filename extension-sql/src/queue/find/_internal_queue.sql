create or replace function queue._internal_queue(name text)
returns queue.queue_settings
language plpgsql
volatile
as $function$
declare
  v_queue queue.queue_settings;
begin
  if queue._is_behind() then
    perform queue._migrate_if_older();
  end if;
  perform queue._queue_table(_internal_queue.name);
  select q.name, q.kind, q.visibility_timeout, q.max_receives, q.dead_letter_queue, q.created_at,
    q.retention_seconds, q.suspected_at, q.delay_seconds, q.deduplication_scope,
    q.grouped_at, null::text
  into v_queue
  from queue.queue as q
  where q.name = _internal_queue.name;
  return v_queue;
end
$function$;

comment on function queue._internal_queue(text) is
$comment$Returns the settings of an internal queue, for the functions that own it: _find_queue() rejects internal queues.
name: begins with "__".
Errors: OX001 no such queue.
Touches: nothing; reads queue.queue. Older tables are migrated first.$comment$;
