create or replace function queue.pin_route(
  route         text,
  shard         text,
  after         bigint default 0,
  informs_shard boolean default false
)
returns bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_target constant smallint := queue._require_shard(shard);
begin
  perform queue._check_id(route, 'route');
  perform queue._check_routes(array[route], null);
  return queue._hand_over_home(route, null, v_target, coalesce(after, 0), coalesce(informs_shard, false));
end
$function$;

comment on function queue.pin_route(text, text, bigint, boolean) is
$comment$Makes a shard the home of a route, whatever the home of its slot, in the shard that has it now. Starts go there from the commit on; idempotency keys go before, thousands at a call, so that they lead to their runs, which stay until hand_over_route() moves them. Schedules whose names begin with the route leave immediately; message groups, each as soon as its head isn't in flight. `oxbow shards pin` calls it until it returns null.
route: a text for everything that belongs together, such as a tenant.
shard: name of the shard; that of this database keeps the route here when its slot moves.
after: what the call before has returned.
informs_shard: informs the shard itself too, if an earlier call has made it the home; it may have been restored since. Only once no items are on their way to it: keys come from the shard that gave it the route, in front of the home.
Returns null when the home has changed; otherwise what the next call needs. If an earlier call has changed it, the others, but not the shard itself, are informed again: one of them may have been restored since.
Errors: OX004 invalid argument, a transaction that is not READ COMMITTED, a schedule that skips ticks until its last run ends, which is running, or more than 5,000 schedules or 100,000 message groups in one call; OX028 the route is at home in another shard, or this database is held as a copy; 55P03 a transaction that has started such a run, or another move, stays open for longer than 50 ms: repeat the call.
Touches: as _hand_over_home().$comment$;
