create or replace function queue.send_fifo(
  queue            text,
  message          jsonb,
  message_group_id text,
  deduplication_id text default null,
  delay_seconds    numeric default null,
  headers          jsonb default null
)
returns bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_queue  constant queue.queue_settings := queue._find_queue(send_fifo.queue, 'fifo', 'send');
  v_delay  constant interval := queue._duration(coalesce(send_fifo.delay_seconds, v_queue.delay_seconds), 'delay');
  v_groups constant text[] := array[send_fifo.message_group_id];
  v_shared constant boolean := queue._in_fleet();
  v_leaves boolean := false;
  v_key    constant text := case
    when v_queue.deduplication_scope = 'group' and send_fifo.deduplication_id is not null then
      queue._deduplication_key('group', send_fifo.message_group_id, send_fifo.deduplication_id)
    else send_fifo.deduplication_id
  end;
  v_msg_id bigint;
begin
  perform queue._check_messages(array[send_fifo.message], array[send_fifo.headers]);
  perform queue._check_id(send_fifo.message_group_id, 'message group id');
  if v_shared then
    v_leaves := queue._require_group(v_queue.name, send_fifo.message_group_id);
  end if;

  if send_fifo.deduplication_id is not null then
    perform queue._check_id(send_fifo.deduplication_id, 'deduplication id');
    -- Before the id is looked up, so that senders to one group wait here and not in two places.
    perform queue._lock_groups(v_queue.name, v_groups);
    v_msg_id := queue._deduplicate(v_queue.name, v_key);
    if v_msg_id is not null then
      return v_msg_id;
    end if;
  end if;

  v_msg_id := (queue._send_fifo(v_queue.name, array[send_fifo.message], v_groups, v_delay, array[send_fifo.headers]))[1];

  if send_fifo.deduplication_id is not null then
    update queue.deduplication as d
    set msg_id = v_msg_id,
      message_group_id = case when v_shared then send_fifo.message_group_id end
    where d.queue_name = v_queue.name
      and d.deduplication_id = v_key;
  end if;
  if v_leaves and queue._holds_next(v_queue.name, send_fifo.message_group_id) then
    perform queue._hold_message(v_queue.name, send_fifo.message_group_id, v_msg_id);
  end if;
  return v_msg_id;
end
$function$;

comment on function queue.send_fifo(text, jsonb, text, text, numeric, jsonb) is
$comment$Sends a message to a FIFO queue, in the caller's transaction. Within a message group, messages are received in the order in which their transactions committed: senders to the same group wait for each other's transactions.
message_group_id: 1 to 512 characters; messages with the same one keep their order.
deduplication_id: a second message with the same id in the same queue, or in the same group if that is the queue's deduplication_scope, within 5 minutes is not sent.
delay_seconds: how long the message stays invisible, with fractions; messages behind it in its group wait too. null means the delay of the queue.
headers: a JSON object that describes the message.
Returns the message's id, or that of the first message with the deduplication id.
Errors: OX001 no such queue, OX004 invalid argument, OX007 not a FIFO queue, or one of Oxbow's own, OX008 message too large, OX028 the group is in another shard; 55P03 another transaction has locked the group for longer than lock_timeout, or a minute; 40P01 a deadlock with another transaction that sends to several groups, or that acknowledges messages before it sends to this queue, because groups share locks. Repeat the transaction that failed.
Touches: the group's advisory lock until the transaction ends (waits), queue.deduplication if there is a deduplication id, the queue's table; NOTIFY only if a consumer listens; in a shard of a fleet, as _require_group().$comment$;
