create or replace function queue.workflow_cancel_all(
  filter   jsonb,
  reason   text default null,
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
  v_filter.status := array['running'];
  return queue._change_runs('cancel', v_filter, reason, before, max_runs);
end
$function$;

comment on function queue.workflow_cancel_all(jsonb, text, bigint, integer) is
$comment$Cancels a batch of the running runs that fit a filter, newest first, in the caller's transaction.
filter: as in workflow_list(); status is left out. reason: as in workflow_cancel(). before: cursor of the batch; null is the first. max_runs: most runs to look at in this batch, to 10000, so that workers wait for none of them for long.
Returns how many were changed, and in before the cursor to call again with; null when that was all.
Errors: OX004 invalid argument.
Touches: as workflow_cancel().$comment$;
