create or replace function queue.leaving_groups(max_groups integer default 100)
returns setof queue.leaving_message_group
language plpgsql
volatile
security definer
-- plans: index, no bitmap
as $function$
declare
  v_groups queue.leaving_message_group[] := array[]::queue.leaving_message_group[];
  v_found  queue.leaving_message_group[];
  v_queue  record;
begin
  -- A copy of a shard leaves its groups to its source.
  if not queue._in_fleet() or pg_is_in_recovery() or not exists (select from queue.leaving_group)
    or queue._must_hold(false)
  then
    return;
  end if;
  for v_queue in
    select l.queue_name as name, queue._is_fifo(l.queue_name) as is_there
    from (select distinct g.queue_name from queue.leaving_group as g) as l
  loop
    execute format($sql$
      select array_agg(g.found)
      from (
        select row(l.queue_name, l.message_group_id, l.held_id is not null and i.is_in_flight)::queue.leaving_message_group as found
        from queue.leaving_group as l
        cross join lateral (select %1$s as is_in_flight) as i
        where l.queue_name = $1
        order by i.is_in_flight, l.held_id is not null, random()
        limit $2
      ) as g
    $sql$, case
      when v_queue.is_there then format($sql$
        exists (
          select
          from %1$s as m
          where m.message_group_id = l.message_group_id
            and m.head
            and m.message is not null
            and m.receipt is not null
            and m.visible_at > clock_timestamp()
            and m.visible_at < 'infinity'
        )
      $sql$, queue._queue_table(v_queue.name))
      else 'false'
    end)
    into v_found
    using v_queue.name, max_groups;
    v_groups := v_groups || v_found;
  end loop;
  return query
    select g.queue, g.message_group_id, g.waits
    from unnest(v_groups) with ordinality as g (queue, message_group_id, waits, position)
    order by g.waits, g.position
    limit max_groups;
end
$function$;

comment on function queue.leaving_groups(integer) is
$comment$Lists message groups that are about to leave since pin_route() or move_slots(), for hand_over_group(): those that can leave now, in random order, so that several relays share them; then those whose heads are in flight.
max_groups: as many at most.
Returns the groups; no rows in a database that is standalone or held as a copy.
Touches: nothing; reads queue.leaving_group, the tables of their queues; as _must_hold().$comment$;
