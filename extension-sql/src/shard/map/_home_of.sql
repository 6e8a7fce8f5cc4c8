create or replace function queue._home_of(route text, out shard smallint, out epoch bigint)
language plpgsql
stable
-- plans: index
as $function$
declare
  v_slot constant integer := queue._route_slot(route);
begin
  select p.shard, p.epoch into shard, epoch
  from queue.fleet_pin as p
  where p.route = _home_of.route;
  if not found then
    select coalesce(m.shard, f.slots[v_slot + 1]), coalesce(m.epoch, 1) into shard, epoch
    from queue.fleet as f
    left join queue.fleet_slot as m on m.slot = v_slot;
  end if;
end
$function$;

comment on function queue._home_of(text) is
$comment$Returns the shard where a route is at home, by this shard's copy of the map: where it is pinned, else where its slot has moved, else where the map was dealt.
Returns the number of the shard, and the version of the map since which it is there; nulls in a standalone database.
Touches: nothing; reads queue.fleet, queue.fleet_pin, queue.fleet_slot.$comment$;
