create or replace function queue.workflow_cancel_all(
  filter            jsonb,
  reason            text default null,
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
  v_filter.status := array['running'];
  return queue._change_runs('cancel', v_filter, reason, queue._run_cursor(before, before_started_at), max_runs);
end
$function$;

comment on function queue.workflow_cancel_all(jsonb, text, bigint, integer, timestamptz) is
$comment$Cancels a batch of the running runs that match a filter, newest first, in the caller's transaction. Call it in a loop until before is null.
filter: as in workflow_list(), and {} for all; its status is ignored.
reason: as in workflow_cancel().
before, before_started_at: as returned by the previous call; null for the first batch. Runs that start in the meantime are not cancelled.
max_runs: how many runs to look at in this batch, 1 to 10000. A batch locks its runs until the transaction ends.
Returns how many runs were cancelled, and the cursor of the next batch, which is null after the last one.
Errors: OX004 invalid argument, OX005 before_started_at is null and the run in before has been deleted.
Touches: as workflow_cancel().$comment$;
