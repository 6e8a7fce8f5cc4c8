create or replace function queue.workflow_delete(run_id bigint)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_deleted boolean;
begin
  perform queue._migrate_if_older();
  if not exists (select from queue.workflow_run as r where r.run_id = workflow_delete.run_id) then
    perform queue._raise_run_not_found(run_id);
  end if;
  v_deleted := queue._delete_ended_runs(array[run_id]) <> '{}';
  perform queue._record_action('run.delete', 'run', array[run_id::text], changed => v_deleted);
  return v_deleted;
end
$function$;

comment on function queue.workflow_delete(bigint) is
$comment$Deletes an ended run for good, with all that it has stored: input, output, error, journal, failed attempts, stream, published values, signals, approvals, tags, idempotency key, requests that a sandbox has captured, and the event that a trigger started it for. Runs that its steps have invoked and waited for, items of loops among them, go with it, and theirs. Runs that it started without waiting, reruns and failure handlers are runs of their own and stay, as do the messages that it has sent.
Returns true if this call deleted the run. False if the run, or one that goes with it, is in progress, or if its parent has yet to take its result.
Errors: OX005 no such run.
Touches: queue.workflow_run, locked in the order of run ids, and all tables of the parts of runs; queue.captured_delivery, queue.definition_once, queue.trigger_event, queue.trigger_match; queue.audit.$comment$;
