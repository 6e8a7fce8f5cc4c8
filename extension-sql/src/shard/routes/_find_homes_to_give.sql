create or replace function queue._find_homes_to_give(route text, slots integer[], target smallint)
returns integer[]
language plpgsql
volatile
as $function$
declare
  v_home record;
begin
  if route is null then
    return array(
      select distinct s.slot
      from unnest(_find_homes_to_give.slots) as s (slot)
      cross join queue.fleet as f
      left join queue.fleet_slot as m on m.slot = s.slot
      where coalesce(m.shard, f.slots[s.slot + 1]) = f.shard
        and f.shard <> target
      order by s.slot
    );
  end if;
  select h.shard, h.epoch, s.name, h.shard = f.shard as is_here, p.route is not null as is_pinned into v_home
  from queue._homes_of(array[_find_homes_to_give.route]) as h
  join queue.fleet_shard as s on s.shard = h.shard
  cross join queue.fleet as f
  left join queue.fleet_pin as p on p.route = h.route;
  if v_home.shard = target and v_home.is_pinned then
    return '{}'::integer[];
  end if;
  if v_home.is_here is not true then
    perform queue._raise('OX028', format('route "%s" is at home in shard "%s"', left(route, 40), v_home.name),
      jsonb_build_object('home', v_home.name, 'epoch', v_home.epoch)::text, 'Pin it there: the shard that has it gives it away.');
  end if;
  return array[queue._route_slot(route)];
end
$function$;

comment on function queue._find_homes_to_give(text, integer[], smallint) is
$comment$Returns what this shard has to give to another one, by its copy of the map as it is now.
route: null for the routes of slots.
slots: null for a route.
target: number of the shard; that of this one pins a route that is here.
Returns the slot of the route, or those of the slots that are at home here; empty if nothing is left to do.
Errors: OX028 the route is at home in another shard, and not pinned to the target.
Touches: nothing; reads queue.fleet, queue.fleet_shard, queue.fleet_slot, queue.fleet_pin.$comment$;
