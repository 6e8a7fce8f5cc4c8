create or replace function queue._summarize_runs(
  filter      queue.run_filter,
  before      queue.run_cursor,
  max_runs    integer,
  with_values boolean
)
returns setof queue.workflow_summary
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
begin
  return query
    select r.run_id, r.workflow_name, r.workflow_version, r.status::text, r.started_at, r.completed_at, r.deadline,
      r.paused_at, r.idempotency_key, r.tags, r.error, r.rerun_of, r.superseded_by,
      case when with_values then r.input end, case when with_values then r.output end,
      r.failure_of
    from queue._find_runs(filter, before, max_runs) with ordinality as f (run_id, n)
    join queue.workflow_run as r on r.run_id = f.run_id
    order by f.n;
end
$function$;

comment on function queue._summarize_runs(queue.run_filter, queue.run_cursor, integer, boolean) is
$comment$Returns the rows of the runs that _find_runs() finds, in its order.
Returns one row per run.
Touches: nothing; reads queue.workflow_run and queue.workflow_continuation.$comment$;
