create or replace function queue.workflow_pause(run_id bigint, reason text default null)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_changed boolean;
begin
  perform queue._migrate_if_older();
  v_changed := queue._pause_run(run_id, reason);
  perform queue._record_action('run.pause', 'run', array[run_id::text],
    jsonb_build_object('reason', reason), changed => v_changed);
  return v_changed;
end
$function$;

comment on function queue.workflow_pause(bigint, text) is
$comment$Pauses a run in the caller's transaction: it executes nothing until workflow_resume(). A worker that is executing the run is notified immediately, otherwise it learns at its next heartbeat. It finishes and journals its current calls and starts no new ones. Signals, sleeps and timeouts are still recorded, and take effect after the resume. The deadline is not postponed: the run fails at its deadline even if it is paused.
reason: shown with the run.
Returns true if this call paused the run; false if it had ended or was already paused.
Errors: OX005 no such run.
Touches: queue.workflow_continuation, queue.departing, queue.workflow_run; queue.audit.$comment$;
