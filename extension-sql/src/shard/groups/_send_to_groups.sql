create or replace function queue._send_to_groups(
  queue             text,
  messages          jsonb[],
  message_group_ids text[],
  delay             interval,
  headers           jsonb[],
  delays            interval[] default null
)
returns void
language plpgsql
volatile
set datestyle = 'ISO'
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_away  text[] := array[]::text[];
  v_group text;
  v_place record;
begin
  if not queue._in_fleet() then
    perform queue._send_fifo(queue, messages, message_group_ids, delay, headers, delays);
    return;
  end if;
  perform queue._lock_homes(array(select distinct queue._route_of(g.id) from unnest(message_group_ids) as g (id)));
  perform queue._lock_groups(queue, message_group_ids);
  for v_group in
    select distinct g.id
    from unnest(message_group_ids) as g (id)
    order by g.id
  loop
    select p.shard, p.is_here into v_place
    from queue._find_group_place(queue, v_group) as p;
    continue when v_place.is_here;
    v_away := v_away || v_group;
    perform queue._send_item(v_place.shard, 'group', null, jsonb_build_object('queue', queue, 'group', v_group, 'messages', (
      select jsonb_agg(
          jsonb_build_object(
            'message', m.message, 'headers', m.headers, 'sentAt', v_now, 'visibleAt', v_now + coalesce(m.own_delay, delay),
            'receives', 0
          )
          order by m.position
        )
      from unnest(messages, message_group_ids, _send_to_groups.headers, delays) with ordinality
        as m (message, id, headers, own_delay, position)
      where m.id = v_group
    )));
  end loop;
  if v_away = '{}' then
    perform queue._send_fifo(queue, messages, message_group_ids, delay, headers, delays);
  elsif not message_group_ids <@ v_away then
    perform queue._send_fifo(queue, array_agg(m.message order by m.position), array_agg(m.id order by m.position), delay,
      array_agg(m.headers order by m.position), array_agg(m.own_delay order by m.position))
    from unnest(messages, message_group_ids, _send_to_groups.headers, delays) with ordinality
      as m (message, id, headers, own_delay, position)
    where m.id <> all (v_away);
  end if;
end
$function$;

comment on function queue._send_to_groups(text, jsonb[], text[], interval, jsonb[], interval[]) is
$comment$Appends messages to their groups, wherever these are: those of groups in other shards leave as items. For messages that no client would send again when they are refused: of topics, dead letters, and messages that are sent back or moved.
messages, message_group_ids, headers: parallel arrays with one element per message; headers may be null.
delays: null, or one element per message, which replaces delay.
Touches: as _send_fifo(); in a shard of a fleet, as _lock_homes(), _find_group_place() and _send_item().$comment$;
