create or replace function queue._hold_message(queue text, message_group_id text, msg_id bigint)
returns void
language plpgsql
volatile
as $function$
declare
  v_visible_at timestamptz;
begin
  execute format('select m.visible_at from %1$s as m where m.msg_id = $1', queue._queue_table(queue))
  into v_visible_at
  using msg_id;
  execute format($sql$update %1$s as m set visible_at = 'infinity' where m.msg_id = $1$sql$, queue._queue_table(queue))
  using msg_id;
  update queue.leaving_group as l
  set held_id = _hold_message.msg_id,
    visible_at = v_visible_at
  where l.queue_name = _hold_message.queue
    and l.message_group_id = _hold_message.message_group_id;
end
$function$;

comment on function queue._hold_message(text, text, bigint) is
$comment$Keeps a message of a leaving group from being received here, and with it those behind it.
queue, message_group_id: of a group whose lock the caller holds.
msg_id: of a message that no consumer has received.
Touches: the queue's table, queue.leaving_group.$comment$;
