create or replace function queue.workflow_resume(run_id bigint)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_changed boolean;
begin
  perform queue._migrate_if_older();
  v_changed := queue._resume_run(run_id);
  perform queue._record_action('run.resume', 'run', array[run_id::text], changed => v_changed);
  return v_changed;
end
$function$;

comment on function queue.workflow_resume(bigint) is
$comment$Resumes a paused run in the caller's transaction: immediately if something came due during the pause, otherwise when it does.
Returns true if this call resumed the run; false if it was not paused.
Errors: OX005 no such run.
Touches: queue.workflow_continuation, queue.workflow_run; queue.audit.$comment$;
