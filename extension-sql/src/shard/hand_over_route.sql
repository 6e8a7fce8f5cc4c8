create or replace function queue.hand_over_route(
  route        text,
  slots        integer[],
  target       text,
  after        bigint default 0,
  only_running boolean default false,
  ends_leases  boolean default false,
  max_runs     integer default 25
)
returns queue.route_handover
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- A run that is locked is taken at the next pass.
set lock_timeout = '100ms'
as $function$
declare
  v_target   constant smallint := queue._require_shard(target);
  v_result   queue.route_handover;
  v_found    record;
  v_run_id   bigint;
begin
  perform queue._check_selection(route, slots);
  perform queue._check_page(max_runs);
  if num_nulls(after, only_running) > 0 then
    perform queue._raise('OX004', format('invalid %s null', case when after is null then 'after' else 'only_running' end), null,
      'Begin with after => 0, and decide whether runs that have ended stay.');
  end if;
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
  select r.last_run_id, r.run_ids into v_found
  from queue._route_runs(route, hand_over_route.slots, after, only_running) as r;
  v_result.last_run_id := v_found.last_run_id;
  if cardinality(v_found.run_ids) > max_runs then
    v_found.run_ids := v_found.run_ids[1:max_runs];
    v_result.last_run_id := v_found.run_ids[max_runs];
  end if;
  v_result.moved := 0;
  v_result.asked := 0;
  v_result.kept := 0;
  v_result.busy := 0;
  foreach v_run_id in array v_found.run_ids loop
    begin
      if queue._moved_to(v_run_id) is null then
        perform queue._require_own_family(v_run_id, route, hand_over_route.slots);
        if queue._hand_over(v_run_id, v_target, coalesce(ends_leases, false)) <> 'moved' then
          v_result.asked := v_result.asked + 1;
          continue;
        end if;
      end if;
      v_result.moved := v_result.moved + 1;
    exception
      when others then
        if sqlstate in ('55P03', '40P01') then
          v_result.busy := v_result.busy + 1;
        elsif sqlstate = 'OX005' then
          -- Deleted in the meantime.
          continue;
        elsif queue._is_rejection(sqlstate) then
          v_result.kept := v_result.kept + 1;
          v_result.problem := coalesce(v_result.problem, sqlerrm);
        else
          raise;
        end if;
    end;
  end loop;
  return v_result;
end
$function$;

comment on function queue.hand_over_route(text, integer[], text, bigint, boolean, boolean, integer) is
$comment$Moves the runs of a route, or of the routes of slots, that are here to the shard where these are at home, as hand_over_run() moves one. Call it again and again, from the first run, until it finds none that can move: runs whose workers were asked for them leave later by themselves.
route: null for those of the slots. Runs that were started before routes were kept are found by their idempotency keys alone.
slots: null for a route.
target: name of the shard.
after: last_run_id of the call before, which looks at 10,000 runs at most.
only_running: leaves runs here that have ended.
ends_leases: as in hand_over_run().
max_runs: as many move at most, 1 to 10000.
Returns what it has done.
Errors: OX004 invalid argument, or the route is at home elsewhere; OX028 this database is held as a copy.
Touches: as hand_over_run(), without the audit.$comment$;
