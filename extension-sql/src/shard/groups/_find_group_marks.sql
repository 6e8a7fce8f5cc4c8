create or replace function queue._find_group_marks()
returns jsonb
language sql
volatile
set search_path = pg_catalog, pg_temp
as $function$
  select jsonb_build_object('now', clock_timestamp()) || coalesce(
    jsonb_object_agg(q.name, coalesce(pg_sequence_last_value(pg_get_serial_sequence(queue._queue_table(q.name)::text, 'msg_id')), 0)),
    '{}'
  )
  from queue.queue as q
  where q.kind = 'fifo'
    and not starts_with(q.name, '__')
$function$;

comment on function queue._find_group_marks() is
$comment$Returns a mark in time by which _home_groups() leaves out what was sent before.
Returns an object: the time in now, and by FIFO queue the last id that was given out.
Touches: nothing; reads queue.queue and the sequences of FIFO queues.$comment$;
