create or replace function queue.workflow_children(
  run_id           bigint,
  after            bigint default null,
  max_runs         integer default 1000,
  after_started_at timestamptz default null,
  step             text default null
)
returns setof queue.workflow_child
language plpgsql
stable
security definer
as $function$
declare
  v_after queue.run_cursor;
begin
  perform queue._require_current_tables();
  perform queue._check_count(max_runs);
  v_after := queue._run_cursor(nullif(after, 0), after_started_at);
  if step is not null then
    return query
      select r.run_id, r.workflow_name, r.workflow_version, r.status::text, r.parent_step,
        coalesce(r.is_detached, false), r.started_at, r.completed_at
      from queue.workflow_run as r
      where r.parent_run_id = workflow_children.run_id
        and r.parent_step = step
        and (v_after.run_id is null or (r.started_at, r.run_id) > (v_after.started_at, v_after.run_id));
    return;
  end if;
  return query
    select r.run_id, r.workflow_name, r.workflow_version, r.status::text, r.parent_step,
      coalesce(r.is_detached, false), r.started_at, r.completed_at
    from queue.workflow_run as r
    where r.parent_run_id = workflow_children.run_id
      and (v_after.run_id is null or (r.started_at, r.run_id) > (v_after.started_at, v_after.run_id))
    order by r.started_at, r.run_id
    limit workflow_children.max_runs;
end
$function$;

comment on function queue.workflow_children(bigint, bigint, integer, timestamptz, text) is
$comment$Lists the runs that steps of a run have started, oldest first.
run_id: id of the parent.
after, after_started_at: run_id and started_at of the last row of the previous page; null or 0 for the first page.
max_runs: size of the page, 1 to 10000.
step: only the run that this step has started; null for all.
Returns one row per child that is still stored, with the name of its step; no rows if there is no child, or no such parent.
Errors: OX004 invalid argument, OX005 after_started_at is null and the run in after has been deleted.
Touches: nothing; reads queue.workflow_run.$comment$;
