create or replace function queue.workflow_retry(run_id bigint)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_changed boolean;
begin
  perform queue._migrate_if_older();
  v_changed := queue._retry_run(run_id);
  perform queue._record_action('run.retry', 'run', array[run_id::text], changed => v_changed);
  return v_changed;
end
$function$;

comment on function queue.workflow_retry(bigint) is
$comment$Continues a failed or cancelled run from its journal: no step that succeeded is called again. The step that failed the run gets new attempts, and steps that began after that failure are repeated. Sleeps and waits that had not ended start over, and a deadline that has passed is removed. Stream chunks of repeated steps are taken back. Buffered signals are kept.
Returns true if this call revived the run; false if it is running or completed.
Errors: OX004 the run was rolled back, OX005 no such run, OX010 another run has its idempotency key.
Touches: queue.workflow_run, queue.workflow_step, queue.workflow_stream_chunk, queue.workflow_failed_attempt, queue.workflow_continuation; queue.workflow_admission if the workflow has flow control; queue.audit.$comment$;
