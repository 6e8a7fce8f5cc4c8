create or replace function queue._find_group_messages(queue text, message_group_id text, max_ids integer)
returns bigint[]
language plpgsql
stable
-- plans: index, no bitmap
as $function$
declare
  v_ids bigint[];
begin
  -- An index has the heads, another one the other messages.
  execute format($sql$
    select coalesce(array_agg(i.msg_id), '{}')
    from (
      select h.msg_id from %1$s as h where h.message_group_id = $1 and h.head
      union all
      select w.msg_id from %1$s as w where w.message_group_id = $1 and not w.head
      limit $2
    ) as i
  $sql$, queue._queue_table(queue))
  into v_ids
  using message_group_id, max_ids;
  return v_ids;
end
$function$;

comment on function queue._find_group_messages(text, text, integer) is
$comment$Returns the ids of the messages and tombstones of a group.
queue, message_group_id: the group.
max_ids: as many at most.
Returns ids, in no order.
Touches: nothing; reads the queue's table.$comment$;
