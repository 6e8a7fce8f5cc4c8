create or replace function queue._set_home(route text, slots integer[], shard smallint, epoch bigint)
returns void
language plpgsql
volatile
as $function$
begin
  -- Changes of one home follow each other, but may arrive from different shards in any order.
  if route is not null then
    insert into queue.fleet_pin as p (epoch, shard, route)
    values (_set_home.epoch, _set_home.shard, _set_home.route)
    on conflict on constraint fleet_pin_pkey do update set epoch = excluded.epoch, shard = excluded.shard
    where p.epoch < excluded.epoch;
    return;
  end if;
  insert into queue.fleet_slot as m (epoch, shard, slot)
  select _set_home.epoch, _set_home.shard, s.slot
  from unnest(_set_home.slots) as s (slot)
  on conflict on constraint fleet_slot_pkey do update set epoch = excluded.epoch, shard = excluded.shard
  where m.epoch < excluded.epoch;
end
$function$;

comment on function queue._set_home(text, integer[], smallint, bigint) is
$comment$Notes the home of a route, or of slots, unless a later one is known.
route: null for those of the slots.
shard: number of the home.
epoch: version of the map since which it is.
Touches: queue.fleet_pin or queue.fleet_slot.$comment$;
