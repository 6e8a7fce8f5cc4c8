create or replace function queue.workflow_changes(workflow text, since bigint default null, max_changes integer default 1000)
returns jsonb
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_since constant interval := least(
    greatest(
      timestamptz 'epoch' + workflow_changes.since * interval '1 microsecond',
      v_now - interval '1 day'
    ),
    v_now
  ) - timestamptz '2000-01-01 00:00:00+00';
  v_changes jsonb;
begin
  perform queue._check_count(max_changes, 'max_changes', null, 'Request at least one change.');
  if queue._require_current_tables() and since is not null then
    select jsonb_agg(to_jsonb(c) order by c.at, c.run_id)
    into v_changes
    from (
      select (extract(epoch from e.changed_at) * 1000000)::bigint as at, e.run_id, e.workflow_version as version,
        e.status, e.error
      from (
        select r.started_at as changed_at, r.run_id, r.workflow_version, 'running'::queue.workflow_status as status,
          null::jsonb as error
        from queue.workflow_run as r
        where r.started_at - timestamptz '2000-01-01 00:00:00+00' > v_since
          and r.workflow_name = workflow_changes.workflow
          and r.is_test is null
          and r.is_item is null
        union all
        select r.completed_at, r.run_id, r.workflow_version, r.status, r.error
        from queue.workflow_run as r
        -- The expression of the index.
        where case when r.completed_at is not null then r.completed_at - timestamptz '2000-01-01 00:00:00+00' end > v_since
          and r.workflow_name = workflow_changes.workflow
          and r.is_test is null
          and r.is_item is null
      ) as e
      order by e.changed_at, e.run_id
      limit max_changes
    ) as c;
  end if;
  return jsonb_build_object(
    'now', (extract(epoch from v_now) * 1000000)::bigint,
    'changes', coalesce(v_changes, jsonb_build_array())
  );
end
$function$;

comment on function queue.workflow_changes(text, bigint, integer) is
$comment$Lists which runs of a workflow started and ended since a time, in order, for live views. The cost depends on the runs of that period, not on how many are stored.
since: microseconds since 1970; null returns only the current time. Changes older than a day are left out.
Tests and items of loops are left out.
max_changes: the first this many changes are returned.
Returns {"now": ..., "changes": [{"at", "run_id", "version", "status", "error"}]}, with times in microseconds. A change carries the time of its statement but becomes visible when its transaction commits, so ask again from a few seconds earlier and skip what you have.
Errors: OX004 invalid argument.
Touches: nothing; reads queue.workflow_run, rows that started or ended since.$comment$;
