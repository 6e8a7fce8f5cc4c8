create or replace function queue.hand_over_route(
  route        text,
  slots        integer[],
  target       text,
  after        bigint default 0,
  only_running boolean default false,
  ends_leases  boolean default false,
  max_runs     integer default 25,
  up_to        bigint default null
)
returns queue.route_handover
language plpgsql
volatile
security definer
-- A run that is locked is taken at the next pass.
set lock_timeout = '100ms'
as $function$
declare
  v_target   constant smallint := queue._require_shard(target);
  v_found    record;
  v_handover queue.route_handover;
begin
  perform queue._check_selection(route, slots);
  select r.last_run_id, r.run_ids, r.newest_run_id into v_found
  from queue._next_runs(route, hand_over_route.slots, after, only_running, max_runs, up_to) as r;
  if exists (select from queue.fleet as f where f.shard = v_target)
    or exists (select from queue._homes_of(array[hand_over_route.route]) as h where h.shard <> v_target)
    or exists (
      select
      from unnest(hand_over_route.slots) as s (slot)
      cross join queue.fleet as f
      left join queue.fleet_slot as m on m.slot = s.slot
      where hand_over_route.route is null
        and coalesce(m.shard, f.slots[s.slot + 1]) <> v_target
    )
  then
    perform queue._raise('OX004', format('the routes are not at home in another shard "%s"', target), null,
      'Pin the route there first, or move the slots.');
  end if;
  v_handover := queue._hand_over_runs(
    v_found.run_ids, array_fill(v_target, array[cardinality(v_found.run_ids)]), coalesce(ends_leases, false)
  );
  v_handover.last_run_id := v_found.last_run_id;
  v_handover.newest_run_id := v_found.newest_run_id;
  return v_handover;
end
$function$;

comment on function queue.hand_over_route(text, integer[], text, bigint, boolean, boolean, integer, bigint) is
$comment$Moves the runs of a route, or of the routes of slots, that are here to the shard where these are at home, as hand_over_run() moves one. Call it again and again, from the first run, until it finds no run that can move: runs whose workers were asked for them leave later by themselves.
route: null for those of the slots. Runs that were started before routes were kept are found only by their idempotency keys.
slots: null for a route.
target: name of the shard.
after: last_run_id of the call before, which looks at 10,000 runs at most.
only_running: leaves runs here that have ended.
ends_leases: as in hand_over_run().
max_runs: as many move at most, 1 to 10000.
up_to: newest_run_id of an earlier call, so that a pass ends although runs start all the time; null for all that there are now.
Returns what it has done.
Errors: OX004 invalid argument, or the route is at home elsewhere; OX028 this database is held as a copy.
Touches: as hand_over_run(), without the audit.$comment$;
