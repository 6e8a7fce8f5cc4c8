create or replace function queue._record_signal(run_id bigint, event text, payload jsonb, deduplication_id text)
returns text
language plpgsql
volatile
as $function$
declare
  v_setting constant text := current_setting('oxbow.actor', true);
  v_outcome text;
begin
  perform set_config('oxbow.actor', '', true);
  v_outcome := queue.workflow_signal(run_id, event, payload, deduplication_id);
  perform set_config('oxbow.actor', v_setting, true);
  perform queue._record_action('run.signal', 'run', array[run_id::text],
    jsonb_build_object('event', event, 'outcome', v_outcome), changed => v_outcome <> 'ignored');
  return v_outcome;
end
$function$;

comment on function queue._record_signal(bigint, text, jsonb, text) is
$comment$Sends an event to a run as workflow_signal() does without an actor, and records it in the audit in the name of the actor of the transaction.
Returns as workflow_signal().
Errors: those of workflow_signal(); OX004 invalid setting oxbow.actor.
Touches: as workflow_signal(); queue.audit.$comment$;
