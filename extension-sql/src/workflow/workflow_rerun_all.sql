create or replace function queue.workflow_rerun_all(
  filter            jsonb,
  before            bigint default null,
  max_runs          integer default 500,
  from_step         text default null,
  before_started_at timestamptz default null
)
returns queue.changed_runs
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_filter queue.run_filter := queue._run_filter(filter);
begin
  v_filter.status := coalesce(v_filter.status, array['failed']);
  return queue._change_runs('rerun', v_filter, from_step, queue._run_cursor(before, before_started_at), max_runs);
end
$function$;

comment on function queue.workflow_rerun_all(jsonb, bigint, integer, text, timestamptz) is
$comment$Repeats a batch of the runs that fit a filter, newest first, in the caller's transaction: each by a new run, as workflow_rerun() does.
filter: as in workflow_list(); without a status it means those that failed. before, before_started_at: as the call before returned them, so that runs that start later are left alone; null is the first batch. max_runs: most runs to look at in this batch, to 10000. from_step: where the new runs go on; runs without that step in their journals are left out. Null is from the beginning.
Returns how many were started, and the two to call again with, which are null after the last batch.
Errors: OX004 invalid argument, OX005 before_started_at is null, and the run in before has been deleted.
Touches: as workflow_rerun().$comment$;
