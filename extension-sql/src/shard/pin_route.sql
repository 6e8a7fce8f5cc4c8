create or replace function queue.pin_route(route text, shard text, after bigint default 0)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_target constant smallint := queue._require_shard(shard);
  v_home   record;
  v_last   bigint;
begin
  perform queue._check_routes(array[route], null);
  select h.shard, h.epoch, s.name into v_home
  from queue._homes_of(array[pin_route.route]) as h
  join queue.fleet_shard as s on s.shard = h.shard;
  if not exists (select from queue.fleet as f where f.shard = v_home.shard) then
    if v_home.shard = v_target then
      return null;
    end if;
    perform queue._raise('OX028', format('route "%s" is at home in shard "%s"', left(route, 40), v_home.name),
      jsonb_build_object('home', v_home.name, 'epoch', v_home.epoch)::text, 'Pin it there: the shard that has it gives it away.');
  end if;
  if v_home.shard = v_target and exists (select from queue.fleet_pin as p where p.route = pin_route.route) then
    return null;
  end if;
  v_last := queue._hand_over_home(route, array[queue._route_slot(route)], v_target, coalesce(after, 0));
  if v_last is null then
    perform queue._record_action(
      'shard.pin_route', 'database', array[current_database()], 'changed',
      jsonb_build_object('route', route, 'shard', shard)
    );
  end if;
  return v_last;
end
$function$;

comment on function queue.pin_route(text, text, bigint) is
$comment$Makes a shard the home of a route, whatever the home of its slot, in the shard that has it now. Starts go there from the commit on; idempotency keys go before, thousands at a call, so that they lead to their runs, which stay until hand_over_route() moves them. `oxbow shards pin` calls it until it returns null.
route: a text for everything that belongs together, such as a tenant.
shard: name of the shard; that of this database keeps the route here when its slot moves.
after: what the call before has returned.
Returns null when the home has changed, also by an earlier call; otherwise what the next call needs.
Errors: OX004 invalid argument; OX028 the route is at home in another shard, or this database is held as a copy; 55P03 a transaction that has started such a run stays open for longer than 50 ms: repeat the call.
Touches: as _hand_over_home(); queue.audit.$comment$;
