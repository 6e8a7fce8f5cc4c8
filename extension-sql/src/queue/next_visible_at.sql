create or replace function queue.next_visible_at(queue text)
returns timestamptz
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue constant queue.queue_settings := queue._find_queue(next_visible_at.queue);
  v_next  timestamptz;
begin
  execute format($sql$
    select min(m.visible_at)
    from %1$s as m
    where %2$s
  $sql$, queue._queue_table(v_queue.name), case v_queue.kind when 'fifo' then 'm.head' else 'true' end)
  into v_next;
  return v_next;
end
$function$;

comment on function queue.next_visible_at(text) is
$comment$When the next message of a queue becomes receivable, so that an idle consumer neither polls busily nor wakes late: it listens on queue_<name>, and receives at this time at the latest. A message in flight counts with the end of its lease.
Returns a time that may have passed; null when the queue is empty.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow.
Touches: nothing; reads the first entry of the ready index.$comment$;
