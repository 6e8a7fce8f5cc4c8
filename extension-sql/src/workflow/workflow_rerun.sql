create or replace function queue.workflow_rerun(
  run_id    bigint,
  from_step text default null,
  input     jsonb default null,
  version   integer default null
)
returns bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_new bigint;
begin
  perform queue._migrate_if_older();
  v_new := queue._rerun_run(run_id, from_step, input, version);
  perform queue._record_action('run.rerun', 'run', array[run_id::text],
    jsonb_build_object('new_run_id', v_new::text, 'from_step', from_step, 'version', version, 'input_replaced', input is not null));
  return v_new;
end
$function$;

comment on function queue.workflow_rerun(bigint, text, jsonb, integer) is
$comment$Starts a new run that repeats another one, in the caller's transaction: the same workflow, input, tags and retention, but no idempotency key. The original run, in any state, is unchanged; the new run refers to it in rerun_of.
A run that has continued as new is repeated from its current generation, with the input and the number of that.
from_step: a step or a decision of the original's journal. Everything journaled before it is copied, with the values that the original has published, and the new run continues from there. Null starts from the beginning.
input: replaces the input; copied steps do not change.
version: replaces the version.
Returns the id of the new run.
Errors: OX004 invalid version or no such step in the journal, OX005 no such run.
Touches: queue.workflow_run, queue.workflow_step, queue.workflow_run_state, queue.workflow_continuation; queue.workflow_admission if the workflow has flow control; queue.audit.$comment$;
