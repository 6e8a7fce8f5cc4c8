create or replace function queue.route_obstacles(
  route     text,
  slots     integer[],
  with_runs boolean default true,
  max_runs  integer default 20
)
returns setof queue.kept_run
language plpgsql
stable
security definer
as $function$
declare
  v_after bigint := 0::bigint;
  v_ids   bigint[];
  v_left  bigint := max_runs::bigint;
  v_named bigint[] := '{}'::bigint[];
  v_kept  queue.kept_run;
begin
  perform queue._require_current_tables();
  if num_nonnulls(route, slots) > 0 then
    perform queue._check_selection(route, slots);
  end if;
  perform queue._check_count(max_runs);
  if with_runs is null then
    perform queue._raise('OX004', 'invalid with_runs null', null, 'Decide whether runs move as well.');
  end if;
  for v_kept in
    select s.unended_run, format('schedule "%s" skips its ticks until it ends', left(s.name, 140)),
      'Pause the schedule, and let the run end.'
    from queue._route_schedules(route, slots) as s
    where s.unended_run is not null
    order by s.name
    limit v_left
  loop
    return next v_kept;
    v_named := v_named || v_kept.run_id;
    v_left := v_left - 1;
  end loop;
  while with_runs and v_after is not null and v_left > 0 loop
    select r.last_run_id, r.run_ids into v_after, v_ids
    from queue._route_runs(route, slots, v_after, true, null) as r;
    for v_kept in
      select k.run_id, k.problem, k.remedy
      from queue._kept_runs(v_ids) as k
      where k.run_id <> all (v_named)
      limit v_left
    loop
      return next v_kept;
      v_left := v_left - 1;
    end loop;
  end loop;
end
$function$;

comment on function queue.route_obstacles(text, integer[], boolean, integer) is
$comment$Lists runs in progress that are in the way of a move of a route, of the routes of slots, or of all that this shard has: those of the route that can't move to another shard, and those until whose end a schedule of the route skips its ticks.
route, slots: as in hand_over_route(); null and null for all.
with_runs: false for a change of only the home, after which runs stay.
max_runs: as many at most, 1 to 10000.
Returns the runs, with the reason; no rows if all can move.
Errors: OX004 invalid argument, OX006 the tables are older than the functions.
Touches: nothing; reads queue.workflow_run and what belongs to its runs; as _route_schedules().$comment$;
