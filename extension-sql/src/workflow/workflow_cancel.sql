create or replace function queue.workflow_cancel(
  run_id   bigint,
  reason   text default null,
  rollback boolean default false
)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_name   text;
  v_status text;
begin
  perform queue._migrate_if_older();
  select r.workflow_name, r.status::text into v_name, v_status
  from queue.workflow_run as r
  where r.run_id = workflow_cancel.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  if v_status <> 'running' then
    return false;
  end if;

  -- A cancellation also changes the parent and the invoked runs.
  perform queue._lock_related_runs(array[run_id]);

  return queue._cancel_run(v_name, run_id, reason, rollback);
end
$function$;

comment on function queue.workflow_cancel(bigint, text, boolean) is
$comment$Cancels a run, and the runs that its steps have invoked and wait for, in the caller's transaction. A worker that is executing the run is notified at once, otherwise it learns at its next commit or heartbeat; it cannot write to the run any more.
reason: kept as the message of the run's error.
rollback: the run does not end yet. Once the worker's current calls return, it calls the rollbacks of its completed steps, and the run is cancelled after the last of them. Until then the run is still running; cancelling it again without rollback ends it at once.
Returns true if this call cancelled the run; false if it had already ended or was already rolling back.
Errors: OX005 no such run.
Touches: queue.workflow_continuation, also of the parent and of invoked runs, locked in the order of run ids; queue.workflow_run, queue.workflow_step.$comment$;
