create or replace function queue._explain_lease(run_id bigint, receipt bigint, lease_until timestamptz, deliveries integer)
returns queue.workflow_explanation
language plpgsql
stable
as $function$
declare
  v_call  record;
  v_found queue.workflow_explanation;
begin
  select p.worker, p.steps -> 0 as step into v_call
  from queue.workflow_progress as p
  where p.run_id = _explain_lease.run_id
    and p.receipt = _explain_lease.receipt;

  v_found.cause := 'executing';
  v_found.summary := case
    when v_call.step is null then 'A worker executes the run.'
    else format('Worker "%s" is executing call %s of step "%s".', v_call.worker, v_call.step ->> 'attempt', v_call.step ->> 'step')
  end || case when deliveries > 1 then format(' It is delivery %s without progress: earlier workers died or lost their connection.', deliveries) else '' end;
  v_found.remedy := 'A living worker extends its lease. If the worker is gone, another one receives the run when the lease expires.';
  v_found.since := (v_call.step ->> 'since')::timestamptz;
  v_found.until := lease_until;
  v_found.details := jsonb_build_object('deliveries', deliveries)
    || jsonb_strip_nulls(jsonb_build_object('worker', v_call.worker, 'step', v_call.step ->> 'step'));
  return v_found;
end
$function$;

comment on function queue._explain_lease(bigint, bigint, timestamptz, integer) is
$comment$Explains what the worker that has leased a run does, as far as it has reported.
receipt, lease_until, deliveries: of the continuation of the run.
Returns the explanation, without run_id.
Touches: nothing; reads queue.workflow_progress.$comment$;
