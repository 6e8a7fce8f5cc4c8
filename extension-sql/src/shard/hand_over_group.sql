create or replace function queue.hand_over_group(queue text, message_group_id text)
returns text
language plpgsql
volatile
security definer
set lock_timeout = '100ms'
as $function$
declare
  v_route  constant text := queue._route_of(message_group_id);
  v_target smallint;
begin
  perform queue._migrate_if_older();
  if queue._must_hold(false) is not false then
    perform queue._raise('OX028', 'this database is a copy, and held: its message groups can''t move', null,
      'Release it as live if it takes the place of its source.');
  end if;
  if not queue._lock_homes(array[v_route]) then
    return 'kept';
  end if;
  -- Senders hold it while they read what follows.
  if not pg_try_advisory_xact_lock(queue._group_lock_key(queue, message_group_id)) then
    return 'busy';
  end if;
  perform
  from queue.leaving_group as l
  where l.queue_name = hand_over_group.queue
    and l.message_group_id = hand_over_group.message_group_id
  for update;
  if not found then
    return 'kept';
  end if;
  v_target := queue._other_home(v_route);
  if v_target is null then
    perform queue._resume_group(queue, message_group_id);
    return 'kept';
  end if;
  if queue._is_fifo(queue) and not queue._may_leave(queue, message_group_id) then
    return 'waiting';
  end if;
  perform queue._send_group(queue, message_group_id, v_target);
  return 'moved';
exception
  when lock_not_available or deadlock_detected then
    return 'busy';
end
$function$;

comment on function queue.hand_over_group(text, text) is
$comment$Moves a message group to the shard where its route has become at home, if its head isn't in flight: all its messages leave in this transaction, in their order, as one item of the outbox. Relays call it for each group that leaving_groups() returns, and no other client has to.
queue, message_group_id: the group.
Returns moved; waiting while its head is in flight, and then no consumer receives the message behind it here, or while it has more than 10,000 messages or 16 MiB, and then consumers continue; busy, if a transaction sends to it, or has locked its head for longer than 100 ms: repeat the call; or kept, if it is not about to leave.
Errors: OX028 this database is held as a copy.
Touches: as _lock_homes(); the group's advisory lock (without waiting), queue.leaving_group, the queue's table, queue.deduplication; as _send_item().$comment$;
