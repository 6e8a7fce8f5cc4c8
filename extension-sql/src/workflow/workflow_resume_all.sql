create or replace function queue.workflow_resume_all(
  filter   jsonb,
  before   bigint default null,
  max_runs integer default 500
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
  v_filter.paused := true;
  return queue._change_runs('resume', v_filter, null, before, max_runs);
end
$function$;

comment on function queue.workflow_resume_all(jsonb, bigint, integer) is
$comment$Resumes a batch of the paused runs that fit a filter, newest first, in the caller's transaction.
filter: as in workflow_list(); paused is left out. before: cursor of the batch; null is the first. max_runs: most runs to look at in this batch, to 10000, so that workers wait for none of them for long.
Returns how many were changed, and in before the cursor to call again with; null when that was all.
Errors: OX004 invalid argument.
Touches: as workflow_resume().$comment$;
