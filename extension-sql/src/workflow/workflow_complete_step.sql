create or replace function queue.workflow_complete_step(
  run_id      bigint,
  step_name   text,
  output      jsonb,
  error       jsonb,
  next_msg    jsonb,
  next_delay  interval,
  ack_receipt bigint
)
returns text
language plpgsql
volatile
security definer
as $function$
declare
  v_transition constant text :=
    case when next_msg is not null then 'suspend' when error is not null then 'fail' else 'complete' end;
  v_name       text;
  v_held       boolean;
  v_journaled  integer;
  v_is_new     boolean;
  v_outcome    text;
begin
  select r.workflow_name into v_name
  from queue.workflow_run as r
  where r.run_id = workflow_complete_step.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;

  -- The locks of the commit, in its order: with them, the journal cannot change after it is counted here.
  v_held := (
    queue._lock_leases(
      array[run_id], array[ack_receipt], queue._affected_runs(array[run_id], array[v_transition], null, null),
      array['{}'::jsonb], false
    )
  )[1] = 1;
  select coalesce(max(s.position), 0),
    workflow_complete_step.step_name is not null
      and coalesce(bool_and(s.step_name <> workflow_complete_step.step_name), true)
  into v_journaled, v_is_new
  from queue.workflow_step as s
  where s.run_id = workflow_complete_step.run_id;

  select c.outcome into v_outcome
  from queue.workflow_commit(
    array[v_name],
    array[run_id],
    array[ack_receipt],
    array[v_transition],
    array[case
      when next_msg is not null then next_msg || jsonb_build_object('journaled', v_journaled + v_is_new::integer)
      else coalesce(error, output)
    end],
    array[clock_timestamp() + coalesce(next_delay, interval '0')],
    case when v_is_new then array[1] end,
    case when v_is_new then array[v_journaled + 1] end,
    case when v_is_new then array[step_name] end,
    case when v_is_new then array['run'] end,
    case when v_is_new then array[case when error is null then output end] end,
    case when v_is_new then array[error] end,
    case when v_is_new then array[1] end,
    case when v_is_new then array[0] end,
    -- Counted under the lock.
    known => array['{}'::jsonb]
  ) as c;
  return case when v_outcome = 'ok' and v_held and step_name is not null and not v_is_new then 'repeated' else v_outcome end;
end
$function$;

comment on function queue.workflow_complete_step(bigint, text, jsonb, jsonb, jsonb, interval, bigint) is
$comment$Commits one step of one run: journals the step, writes the next continuation or ends the run, and acknowledges the receipt. The same as workflow_commit() with one item.
step_name: 1 to 512 characters without control characters; null journals no step.
error: why the step failed for good; null if it succeeded.
next_msg: the continuation, a JSON object; null ends the run, failed if there is an error, otherwise completed with output.
next_delay: how long until the continuation becomes visible; null means immediately.
ack_receipt: of the delivery.
Returns ok; repeated, if the journal already has the step: the journal is unchanged and the run still gets its next state; or lost or cancelled, which changed nothing. A call repeated after a lost answer returns ok and changes nothing.
Errors: OX003 invalid name of the step, OX004 invalid argument, OX005 no such run.
Touches: as workflow_commit().$comment$;
