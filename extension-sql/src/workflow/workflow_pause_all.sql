create or replace function queue.workflow_pause_all(
  filter            jsonb,
  reason            text default null,
  before            bigint default null,
  max_runs          integer default 500,
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
  v_filter.status := array['running'];
  v_filter.paused := false;
  return queue._change_runs('pause', v_filter, reason, queue._run_cursor(before, before_started_at), max_runs);
end
$function$;

comment on function queue.workflow_pause_all(jsonb, text, bigint, integer, timestamptz) is
$comment$Pauses a batch of the running runs that fit a filter, newest first, in the caller's transaction.
filter: as in workflow_list(); status and paused are left out. reason: as in workflow_pause(). before, before_started_at: as the call before returned them, so that runs that start later are left alone; null is the first batch. max_runs: most runs to look at in this batch, to 10000, so that workers wait for none of them for long.
Returns how many were changed, and the two to call again with, which are null after the last batch.
Errors: OX004 invalid argument, OX005 before_started_at is null, and the run in before has been deleted.
Touches: as workflow_pause().$comment$;
