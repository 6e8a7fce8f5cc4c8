create or replace function queue._accept_home(body jsonb)
returns void
language plpgsql
volatile
as $function$
declare
  v_epoch constant bigint := (body ->> 'epoch')::bigint;
  v_slots constant integer[] := array(select s.slot::integer from jsonb_array_elements_text(body -> 'slots') as s (slot));
  v_shard integer;
begin
  -- Roles that only move items can write one by themselves.
  select h.shard into v_shard
  from (
    select (body ->> 'shard')::integer as shard
    union all
    select (p.pin ->> 1)::integer
    from jsonb_array_elements(body -> 'pins') as p (pin)
  ) as h
  where not exists (select from queue.fleet_shard as s where s.shard = h.shard)
  limit 1;
  if found
    or v_epoch is null
    or exists (select from unnest(v_slots) as s (slot) where (s.slot between 0 and 1023) is not true)
    or exists (select from jsonb_array_elements(body -> 'pins') as p (pin) where num_nulls(p.pin ->> 0, p.pin ->> 2) > 0)
  then
    perform queue._raise('OX004',
      format('invalid home: shard %s, version %s of the map', coalesce(v_shard::text, body ->> 'shard'), coalesce(v_epoch::text, 'null')),
      null, 'Give the number of a shard of this fleet, slots of 0 to 1023, and the version of the map since which it is so.');
  end if;
  update queue.fleet as f
  set epoch = i.epoch
  from (
    select max(e.epoch) as epoch
    from (
      select v_epoch as epoch
      union all
      select (p.pin ->> 2)::bigint
      from jsonb_array_elements(body -> 'pins') as p (pin)
    ) as e
  ) as i
  where f.epoch < i.epoch;
  -- A pin to this shard may be on its way from the shard that gave the route, behind the keys. Until it arrives, the route
  -- stays where it was, although its slot is here.
  insert into queue.fleet_pin (epoch, shard, route)
  select least(h.epoch, (p.pin ->> 2)::bigint - 1), h.shard, p.pin ->> 0
  from jsonb_array_elements(body -> 'pins') as p (pin)
  cross join queue.fleet as f
  cross join lateral queue._home_of(p.pin ->> 0) as h
  where (p.pin ->> 1)::smallint = f.shard
    and h.shard <> f.shard
  on conflict on constraint fleet_pin_pkey do nothing;
  perform queue._set_home(body ->> 'route', v_slots, (body ->> 'shard')::smallint, v_epoch);
  perform queue._set_home(p.pin ->> 0, null, (p.pin ->> 1)::smallint, (p.pin ->> 2)::bigint)
  from jsonb_array_elements(body -> 'pins') as p (pin)
  cross join queue.fleet as f
  where (p.pin ->> 1)::smallint <> f.shard;
  -- For a shard that was restored, or that has them from before their names led to their homes.
  perform queue._hand_over_schedules(
    case when body ->> 'route' is null then v_slots else array[queue._route_slot(body ->> 'route')] end
  );
end
$function$;

comment on function queue._accept_home(jsonb) is
$comment$Notes that another shard has given a route, or slots, to this one or to a third. Whether the other shard had them is not checked: of changes by several shards, a later one may arrive first. Pins that come with slots are noted unless they lead here: those come from the shard that gave the route, behind its keys.
body: as _hand_over_home() writes it.
Errors: OX004 no such shard or slot.
Touches: queue.fleet; as _set_home() and _hand_over_schedules(); reads queue.fleet_shard.$comment$;
