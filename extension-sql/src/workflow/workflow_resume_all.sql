create or replace function queue.workflow_resume_all(
  filter            jsonb,
  before            bigint default null,
  max_runs          integer default 500,
  before_started_at timestamptz default null
)
returns queue.changed_runs
language plpgsql
volatile
security definer
as $function$
declare
  v_filter queue.run_filter := queue._run_filter(coalesce(filter, 'null'));
begin
  v_filter.paused := true;
  return queue._change_runs('resume', v_filter, null, queue._run_cursor(before, before_started_at), max_runs);
end
$function$;

comment on function queue.workflow_resume_all(jsonb, bigint, integer, timestamptz) is
$comment$Resumes a batch of the paused runs that match a filter, newest first, in the caller's transaction. Call it in a loop until before is null.
filter: as in workflow_list(), and {} for all; its paused is ignored.
before, before_started_at: as returned by the previous call; null for the first batch.
max_runs: how many runs to look at in this batch, 1 to 10000. A batch locks its runs until the transaction ends.
Returns how many runs were resumed, and the cursor of the next batch, which is null after the last one.
Errors: OX004 invalid argument, OX005 before_started_at is null and the run in before has been deleted.
Touches: as workflow_resume().$comment$;
