create or replace function queue._release_message(queue text, held_id bigint, visible_at timestamptz)
returns void
language plpgsql
volatile
as $function$
begin
  if coalesce(held_id, 0) = 0 or not queue._is_fifo(queue) then
    return;
  end if;
  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  execute format($sql$
    update %1$s as m
    set visible_at = greatest($2, clock_timestamp())
    where m.msg_id = $1
      and m.visible_at = 'infinity'
  $sql$, queue._queue_table(queue))
  using held_id, visible_at;
  perform queue._wake('queue_' || queue);
end
$function$;

comment on function queue._release_message(text, bigint, timestamptz) is
$comment$Lets consumers receive a message that _hold_message() has held.
queue: may have been dropped.
held_id, visible_at: as in queue.leaving_group.
Touches: the queue's table; NOTIFY only if a consumer listens.$comment$;
