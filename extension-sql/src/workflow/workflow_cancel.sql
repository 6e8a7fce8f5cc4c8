create or replace function queue.workflow_cancel(
  run_id   bigint,
  reason   text default null,
  rollback boolean default false
)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_changed boolean;
begin
  perform queue._migrate_if_older();
  v_changed := queue._cancel_one_run(run_id, reason, rollback);
  perform queue._record_action('run.cancel', 'run', array[run_id::text],
    jsonb_build_object('reason', reason, 'rollback', nullif(rollback, false)), changed => v_changed);
  return v_changed;
end
$function$;

comment on function queue.workflow_cancel(bigint, text, boolean) is
$comment$Cancels a run, and the runs that its steps have invoked and wait for, in the caller's transaction. A worker that is executing the run is notified immediately, otherwise it learns at its next commit or heartbeat; it cannot write to the run any more.
reason: kept as the message of the run's error.
rollback: the run does not end yet. Once the worker's current calls return, it calls the rollbacks of its completed steps, and the run is cancelled after the last of them. Until then the run is still running; cancelling it again without rollback ends it immediately.
Returns true if this call cancelled the run, or sent the cancellation to the shard of the run, which it reaches soon after the commit: whether the run has ended, only that shard knows. False if it had already ended or was already rolling back.
Errors: OX005 no such run.
Touches: queue.workflow_continuation, also of the parent and of invoked runs, locked in the order of run ids; queue.workflow_run, queue.workflow_step; queue.audit; queue.outbox for a run of another shard.$comment$;
