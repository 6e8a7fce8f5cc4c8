create or replace function queue._send_homes(route text, slots integer[], home smallint, to_home boolean)
returns void
language plpgsql
volatile
-- plans: no jit
as $function$
begin
  perform queue._send_item(s.shard, 'home', null, jsonb_strip_nulls(jsonb_build_object(
    'route', h.route, 'slots', to_jsonb(h.slots), 'shard', home, 'epoch', h.epoch,
    -- A shard that hears of a slot must not take routes for its own that are pinned elsewhere.
    'pins', (
      select jsonb_agg(jsonb_build_array(p.route, p.shard, p.epoch) order by p.route)
      from queue.fleet_pin as p
      where queue._route_slot(p.route) = any (h.slots)
    )
  )))
  from (
    select p.epoch, p.route, null::integer[] as slots
    from queue.fleet_pin as p
    where p.route = _send_homes.route
      and p.shard = home
    union all
    select m.epoch, null, array_agg(m.slot::integer order by m.slot)
    from queue.fleet_slot as m
    where _send_homes.route is null
      and m.slot = any (_send_homes.slots)
      and m.shard = home
    group by m.epoch
  ) as h
  cross join queue.fleet as f
  join queue.fleet_shard as s on s.shard <> f.shard
  where to_home
    or s.shard <> home
  order by s.shard, h.epoch;
end
$function$;

comment on function queue._send_homes(text, integer[], smallint, boolean) is
$comment$Tells all other shards that a route, or slots, are at home in a shard, as this one knows it. A shard that knows it, or something later, ignores that.
route: null for slots.
home: number of the shard; what is elsewhere is left out.
to_home: informs that shard too.
Touches: as _send_item(); reads queue.fleet, queue.fleet_shard, queue.fleet_pin, queue.fleet_slot.$comment$;
