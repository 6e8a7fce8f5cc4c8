create or replace function queue._require_home(routes text[], idempotency_keys text[], follow_keys boolean[])
returns void
language plpgsql
volatile
as $function$
declare
  v_away record;
begin
  perform queue._check_routes(routes, idempotency_keys);
  if not queue._lock_homes(routes) then
    return;
  end if;
  select h.route, h.shard, h.epoch into v_away
  from queue._homes_of(array(
    select i.route
    from unnest(routes, follow_keys) as i (route, follows)
    where i.follows is not true
  )) as h
  where h.shard <> (select f.shard from queue.fleet as f)
  limit 1;
  if found then
    perform queue._raise_away(
      format('route "%s" is at home', left(v_away.route, 40)), v_away.shard, v_away.epoch,
      'Start the run there, or by a client of the fleet; from this transaction, start it elsewhere: queue.workflow_start_elsewhere(), or elsewhere: true.'
    );
  end if;
end
$function$;

comment on function queue._require_home(text[], text[], boolean[]) is
$comment$Requires that the routes of starts are at home in this shard, and keeps them there until the transaction ends.
routes, idempotency_keys, follow_keys: parallel, as in workflow_start_batch().
Errors: OX004 invalid argument; OX028 a route is at home in another shard, with the version of the map since which it is.
Touches: as _lock_homes(); reads queue.fleet, queue.fleet_shard; as _homes_of(). Nothing in a standalone database.$comment$;
