create or replace function queue.workflow_rerun_all(
  filter    jsonb,
  before    bigint default null,
  max_runs  integer default 500,
  from_step text default null
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
  return queue._change_runs('rerun', v_filter, from_step, before, max_runs);
end
$function$;

comment on function queue.workflow_rerun_all(jsonb, bigint, integer, text) is
$comment$Repeats a batch of the runs that fit a filter, newest first, in the caller's transaction: each by a new run, as workflow_rerun() does.
filter: as in workflow_list(); without a status it means those that failed. before: cursor of the batch; null is the first. max_runs: most runs to look at in this batch, to 10000. from_step: where the new runs go on; runs without that step in their journals are left out. Null is from the beginning.
Returns how many were started, and in before the cursor to call again with; null when that was all.
Errors: OX004 invalid argument.
Touches: as workflow_rerun().$comment$;
