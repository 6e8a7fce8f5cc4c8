create or replace function queue.workflow_sweep(
  max_runs           integer default 1000,
  max_retention_days integer default null
)
returns integer
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_swept bigint[];
begin
  perform queue._check_count(max_runs, 'max_runs', 100000, 'Sweep between 1 and 100000 runs at a time.');
  if (max_retention_days between 0 and 36500) is false then
    perform queue._raise('OX004', format('invalid max_retention_days %s', max_retention_days), null,
      'A ceiling is between 0 and 36500 days.');
  end if;
  if not queue._migrate_if_older() then
    return 0;
  end if;
  max_retention_days := least(max_retention_days, queue._max_retention_days());

  -- Index ranges, from their beginnings. The second contains runs with a retention above the default. The third, empty
  -- unless the ceiling is below the default, also reads runs whose own retention is not over.
  with expired as materialized (
    select r.run_id
    from queue.workflow_run as r
    where r.expires_at <= v_now
      and (r.parent_run_id is null or r.is_detached or not queue._is_awaited_by_parent(r.parent_run_id, r.parent_step))
    order by r.expires_at
    limit max_runs
    for update skip locked
  ),
  kept_too_long as materialized (
    select r.run_id
    from queue.workflow_run as r
    where max_retention_days is not null
      and r.completed_at is not null
      and r.completed_at <= v_now - make_interval(days => max_retention_days)
      and r.retention_days > 30
      and (r.parent_run_id is null or r.is_detached or not queue._is_awaited_by_parent(r.parent_run_id, r.parent_step))
    order by r.completed_at
    limit max_runs
    for update skip locked
  ),
  kept_beyond_ceiling as materialized (
    select r.run_id
    from queue.workflow_run as r
    where max_retention_days < 30
      and r.expires_at <= v_now + make_interval(days => 30 - max_retention_days)
      and r.completed_at <= v_now - make_interval(days => max_retention_days)
      and r.retention_days <= 30
      and (r.parent_run_id is null or r.is_detached or not queue._is_awaited_by_parent(r.parent_run_id, r.parent_step))
    order by r.expires_at
    limit max_runs
    for update skip locked
  ),
  swept as (
    delete from queue.workflow_run as r
    where r.run_id in (
      select expired.run_id from expired
      union
      select kept_too_long.run_id from kept_too_long
      union
      select kept_beyond_ceiling.run_id from kept_beyond_ceiling
      limit max_runs
    )
    returning r.run_id
  )
  select array_agg(swept.run_id) into v_swept from swept;

  perform queue._delete_run_parts(v_swept);
  perform queue._sweep_trigger_events(max_runs, v_now);
  delete from queue.definition_snapshot as s
  where s.hash in (
    select e.hash
    from queue.definition_snapshot as e
    where e.expires_at <= v_now
    order by e.expires_at
    limit max_runs
    for update skip locked
  );
  return coalesce(cardinality(v_swept), 0);
end
$function$;

comment on function queue.workflow_sweep(integer, integer) is
$comment$Deletes ended runs whose retention is over, oldest first, with their journals, signals and approvals. Running runs are never deleted. Documents of test runs that have expired are deleted as well. Concurrent sweepers share the work.
max_runs: bound of one call, 1 to 100000; call again while it returns that many.
max_retention_days: ceiling for the retention of all runs, even if they were started with a longer one; the lower of it and that of workflow_set_max_retention() applies.
Returns how many runs were deleted.
Errors: OX004 invalid argument.
Touches: queue.workflow_run (SKIP LOCKED), queue.definition_snapshot; as _delete_run_parts() and _sweep_trigger_events().$comment$;
