create or replace function queue._move_events(definition_id bigint, from_pool text, to_pool text)
returns void
language plpgsql
volatile
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_queue constant text := queue._trigger_queue(from_pool);
begin
  if not exists (select from queue.queue as q where q.name = v_queue) then
    return;
  end if;
  execute format($sql$
    select queue._send_messages($3, p.messages, p.delay, p.headers)
    from (
      select w.delay, array_agg(w.message order by w.msg_id) as messages, array_agg(w.headers order by w.msg_id) as headers
      from (
        select m.msg_id, m.message, greatest(m.visible_at - $2, '0') as delay,
          -- Only for this trigger, under the identity of the event: one that has started its run starts no other.
          h.headers || jsonb_build_object(
            'published_at', coalesce(h.headers -> 'published_at', to_jsonb(m.enqueued_at)),
            'only', coalesce(h.headers -> 'only', jsonb_build_object('definition', d.name, 'trigger', t.name))
          ) as headers,
          row_number() over (order by m.msg_id) / 1000 as part
        from %s as m
        cross join lateral queue._event_headers(m.headers) as h (headers)
        join queue.definition_trigger as t on t.definition_id = $1
        join queue.definition as d on d.definition_id = t.definition_id
        where m.message is not null
          and case
            when h.headers ? 'only' then h.headers -> 'only' @> jsonb_build_object('definition', d.name, 'trigger', t.name)
            else queue._topic_matches(t.pattern, h.headers ->> 'topic')
              and (t.filter is null or t.filter <> 'false' and m.message @> t.filter)
              and t.listening_since <= coalesce((h.headers ->> 'published_at')::timestamptz, m.enqueued_at)
          end
      ) as w
      group by w.delay, w.part
      order by min(w.msg_id)
    ) as p
  $sql$, queue._queue_table(v_queue))
  using _move_events.definition_id, v_now, queue._trigger_queue(to_pool);
end
$function$;

comment on function queue._move_events(bigint, text, text) is
$comment$Sends the events that wait in the queue of a pool for a definition to another pool, to which it has moved. They stay in the queue for other definitions; those that are leased or delayed are delivered when the lease or the delay ends.
Touches: reads the table of queue __tr_<from_pool>; as send_batch(), queue __tr_<to_pool>.$comment$;
