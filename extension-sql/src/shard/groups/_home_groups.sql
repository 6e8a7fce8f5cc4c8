create or replace function queue._home_groups(route text, slots integer[], after jsonb)
returns setof queue.leaving_message_group
language plpgsql
stable
-- plans: index
as $function$
declare
  v_queue text;
begin
  for v_queue in
    select q.name
    from queue.queue as q
    where q.kind = 'fifo'
      and not starts_with(q.name, '__')
    order by q.name
  loop
    return query execute format($sql$
      with g as materialized (
        -- The route as _route_of() finds it, which has a price for a million groups.
        select i.id, coalesce(nullif(split_part(i.id, '/', 1), ''), i.id) as route
        from (
          select m.message_group_id as id
          from %1$s as m
          where %2$s
          union
          select d.message_group_id
          from queue.deduplication as d
          where d.queue_name = $1
            and d.message_group_id is not null
            and d.expires_at > $5
            and ($4 is null or d.msg_id > $4)
          union
          -- One of these may arrive in the meantime, with nothing but ids.
          select e.message_group_id
          from queue.group_elsewhere as e
          where e.queue_name = $1
        ) as i
      )
      select $1, g.id, false
      from g
      where case
        when $2 is not null then g.route = $2
        else g.route in (
          select r.route
          from (select distinct o.route from g as o) as r
          where queue._route_slot(r.route) = any ($3)
            -- A pin precedes the slot.
            and not exists (select from queue.fleet_pin as p where p.route = r.route)
        )
      end
    $sql$, queue._queue_table(v_queue), case when after is null then 'm.head' else 'm.msg_id > $4' end)
    using v_queue, route, slots, case when after is not null then coalesce((after ->> v_queue)::bigint, 0) end,
      -- Ids are kept for five minutes. The difference is for clocks.
      greatest(clock_timestamp(), (after ->> 'now')::timestamptz + interval '290 seconds');
  end loop;
end
$function$;

comment on function queue._home_groups(text, integer[], jsonb) is
$comment$Lists the message groups of a route, or of the routes of slots, that are in this shard, with messages or deduplication ids, or that have not arrived. Those of Oxbow's own queues stay.
route: null for those of the slots.
after: of _find_group_marks(), only groups to which something was sent since; null for all.
Returns the groups.
Touches: nothing; reads the tables of FIFO queues, queue.deduplication, queue.group_elsewhere, queue.fleet_pin.$comment$;
