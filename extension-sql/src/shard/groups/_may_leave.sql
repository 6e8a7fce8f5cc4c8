create or replace function queue._may_leave(queue text, message_group_id text)
returns boolean
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_most_messages constant integer := 10000;
  v_most_bytes    constant bigint := 16777216::bigint;
  v_table         constant regclass := queue._queue_table(queue);
  v_held          queue.leaving_group;
  v_in_flight     boolean;
  v_fits          boolean;
  v_ids           bigint[];
  v_next          bigint;
begin
  select l.* into v_held
  from queue.leaving_group as l
  where l.queue_name = _may_leave.queue
    and l.message_group_id = _may_leave.message_group_id;
  -- A receive that has just taken the head is waited for.
  execute format($sql$
    select coalesce(bool_or(h.receipt is not null and h.visible_at > clock_timestamp() and h.visible_at < 'infinity'), false)
    from (
      select m.receipt, m.visible_at
      from %1$s as m
      where m.message_group_id = $1
        and m.head
        and m.message is not null
      for update
    ) as h
  $sql$, v_table)
  into v_in_flight
  using message_group_id;
  v_ids := queue._find_group_messages(queue, message_group_id, v_most_messages + 1);
  v_fits := cardinality(v_ids) <= v_most_messages;
  if v_fits and cardinality(v_ids) > 1 then
    execute format($sql$
      select coalesce(sum(queue._json_size(m.message) + queue._json_size(m.headers)), 0) <= $2
      from %1$s as m
      where m.msg_id = any ($1)
    $sql$, v_table)
    into v_fits
    using v_ids, v_most_bytes;
  end if;

  if not v_fits then
    -- Its consumers make it smaller.
    perform queue._release_message(queue, v_held.held_id, v_held.visible_at);
    update queue.leaving_group as l
    set held_id = null,
      visible_at = null
    where l.queue_name = _may_leave.queue
      and l.message_group_id = _may_leave.message_group_id
      and l.held_id is not null;
    return false;
  end if;
  if v_in_flight and coalesce(v_held.held_id, 0) = 0 then
    execute format($sql$
      select w.msg_id
      from %1$s as w
      where w.message_group_id = $1
        and not w.head
        -- Messages that were received together with the head belong to its consumer.
        and (w.receipt is null or w.visible_at <= clock_timestamp() or w.visible_at = 'infinity')
      order by w.msg_id
      limit 1
      for update
    $sql$, v_table)
    into v_next
    using message_group_id;
    if v_next is not null then
      perform queue._hold_message(queue, message_group_id, v_next);
    elsif v_held.held_id is null then
      update queue.leaving_group as l
      set held_id = 0
      where l.queue_name = _may_leave.queue
        and l.message_group_id = _may_leave.message_group_id;
    end if;
  end if;
  return not v_in_flight;
end
$function$;

comment on function queue._may_leave(text, text) is
$comment$Looks whether a leaving group can leave: its head isn't in flight, and it has at most 10,000 messages and 16 MiB, or one message. While its head is in flight, no consumer receives the message behind it, so that the group comes to rest; if it is too large, consumers go on.
queue, message_group_id: of a group whose lock the caller holds.
Returns true or false; if true, the caller has locked the head.
Touches: the queue's table, queue.leaving_group.$comment$;
