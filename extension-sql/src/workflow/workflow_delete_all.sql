create or replace function queue.workflow_delete_all(
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
  v_filter.status := coalesce(v_filter.status, array['completed', 'failed', 'cancelled']);
  if ('running' <> all (v_filter.status)) is not true then
    perform queue._raise('OX004', 'runs in progress can''t be deleted', null,
      'Leave "running" out of the status of the filter, or cancel the runs first.');
  end if;
  return queue._change_runs('delete', v_filter, null, queue._run_cursor(before, before_started_at), max_runs);
end
$function$;

comment on function queue.workflow_delete_all(jsonb, bigint, integer, timestamptz) is
$comment$Deletes a batch of the ended runs that match a filter, newest first, in the caller's transaction, each as workflow_delete() does. Runs that it would refuse are left unchanged. Call it in a loop until before is null.
filter: as in workflow_list(), and {} for all; without a status it selects all ended runs.
before, before_started_at: as returned by the previous call; null for the first batch.
max_runs: how many runs to look at in this batch, 1 to 10000. Runs that go with them are not counted.
Returns how many of these runs were deleted, and the cursor of the next batch, which is null after the last one.
Errors: OX004 invalid argument, or a filter for running runs; OX005 before_started_at is null and the run in before has been deleted.
Touches: as workflow_delete().$comment$;
