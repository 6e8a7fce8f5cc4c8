create or replace function queue._send_group(queue text, message_group_id text, target smallint)
returns void
language plpgsql
volatile
set datestyle = 'ISO'
-- plans: index
as $function$
declare
  v_messages  jsonb := '[]'::jsonb;
  v_in_flight boolean := false;
  v_ids       jsonb;
  v_held      queue.leaving_group;
begin
  delete from queue.leaving_group as l
  where l.queue_name = _send_group.queue
    and l.message_group_id = _send_group.message_group_id
  returning l.* into v_held;
  if queue._is_fifo(queue) then
    execute format($sql$
      with gone as (
        delete from %1$s as m
        where m.msg_id = any ($1)
        returning m.msg_id, m.message, m.headers, m.enqueued_at, m.read_ct, m.spared, m.receipt, m.visible_at,
          case
            when m.visible_at < 'infinity' then m.visible_at
            when m.msg_id = $2 then $3
            else clock_timestamp()
          end as due_at
      )
      select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'id', g.msg_id::text, 'message', g.message, 'headers', g.headers, 'sentAt', g.enqueued_at,
              'visibleAt', g.due_at, 'receives', g.read_ct, 'spared', g.spared
            )
            order by g.msg_id
          ),
          '[]'
        ),
        coalesce(bool_or(g.receipt is not null and g.visible_at > clock_timestamp() and g.visible_at < 'infinity'), false)
      from gone as g
      where g.message is not null
    $sql$, queue._queue_table(queue))
    into v_messages, v_in_flight
    using queue._find_group_messages(queue, message_group_id, null), v_held.held_id, v_held.visible_at;
  end if;
  if v_in_flight is not false then
    -- A consumer has received what became the head a moment ago.
    perform queue._raise('55P03', format('message group "%s" of queue "%s" is in flight', left(message_group_id, 140), queue), null,
      'Repeat the call.');
  end if;
  with gone as (
    delete from queue.deduplication as d
    where d.queue_name = _send_group.queue
      and d.message_group_id = _send_group.message_group_id
    returning d.deduplication_id, d.msg_id, d.expires_at
  )
  select coalesce(
      jsonb_agg(jsonb_build_object('id', g.deduplication_id, 'message', g.msg_id::text, 'expiresAt', g.expires_at)),
      '[]'
    )
  into v_ids
  from gone as g
  where g.expires_at > clock_timestamp();
  perform queue._send_item(target, 'group', null, jsonb_build_object(
    'queue', queue, 'group', message_group_id, 'arrives', true, 'messages', v_messages, 'deduplication', v_ids
  ));
end
$function$;

comment on function queue._send_group(text, text, smallint) is
$comment$Sends a leaving group to another shard in one item, with its deduplication ids, and deletes it here.
queue, message_group_id: of a group whose lock the caller holds. Without its queue, which was dropped, it arrives empty.
target: number of the shard.
Errors: 55P03 a message is in flight: repeat the call.
Touches: queue.leaving_group, the queue's table, queue.deduplication; as _send_item().$comment$;
