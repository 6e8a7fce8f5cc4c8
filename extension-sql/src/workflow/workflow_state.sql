create or replace function queue.workflow_state(run_id bigint)
returns jsonb
language plpgsql
stable
security definer
as $function$
declare
  v_state jsonb;
begin
  if not queue._require_current_tables()
    or not exists (select from queue.workflow_run as r where r.run_id = workflow_state.run_id)
  then
    return null;
  end if;
  select coalesce(jsonb_object_agg(s.key, s.value), '{}') into v_state
  from queue.workflow_run_state as s
  where s.run_id = workflow_state.run_id;
  return v_state;
end
$function$;

comment on function queue.workflow_state(bigint) is
$comment$Returns the values that a run has published with ctx.set(), as of its last commit.
Returns an object with the last value of each key, {} for a run without values; null if the run does not exist.
Touches: nothing; reads queue.workflow_run_state.$comment$;
