create or replace function queue._homes_of(routes text[])
returns table (route text, shard smallint, epoch bigint)
language sql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
  select r.route, coalesce(p.shard, m.shard, f.slots[r.slot + 1]), coalesce(p.epoch, m.epoch, 1)
  from (
    select distinct u.route, queue._route_slot(u.route) as slot
    from unnest(routes) as u (route)
    where u.route is not null
  ) as r
  cross join queue.fleet as f
  left join queue.fleet_pin as p on p.route = r.route
  left join queue.fleet_slot as m on m.slot = r.slot
$function$;

comment on function queue._homes_of(text[]) is
$comment$Returns the shards where routes are at home, by this shard's copy of the map: where they are pinned, else where their slots have moved, else where the map was dealt.
Returns for each route the number of the shard, and the version of the map since which it is there; none in a database that stands alone.
Touches: nothing; reads queue.fleet, queue.fleet_pin, queue.fleet_slot.$comment$;
