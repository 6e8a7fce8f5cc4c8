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
  perform queue._catch_up();
  select r.workflow_name, r.status::text into v_name, v_status
  from queue.workflow_run as r
  where r.run_id = workflow_cancel.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  if v_status <> 'running' then
    return false;
  end if;

  -- Its parent and what it has started are changed too.
  perform queue._lock_related_runs(array[run_id]);

  return queue._cancel_run(v_name, run_id, reason, rollback);
end
$function$;

comment on function queue.workflow_cancel(bigint, text, boolean) is
$comment$Cancels a run, and the runs that its steps have started and wait for: its continuation is deleted and its status set, in the caller's transaction. A worker that is inside it learns at once by NOTIFY, else at its next commit or heartbeat, and can't write any more.
reason: kept as the message of the run's error. rollback: the run isn't ended here, but goes on only to call the rollbacks of its completed steps, and is cancelled then; what its worker is calling comes back first. Until that it is still running, and cancelling it again without rollback ends it at once.
Returns true when this call cancelled the run, false when it had ended, or was rolling back, before.
Errors: OX005 no such run.
Touches: the run's continuation, those of its parent and of what it started, queue.workflow_run, queue.workflow_step.$comment$;
