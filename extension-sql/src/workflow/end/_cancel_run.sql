create or replace function queue._cancel_run(name text, run_id bigint, reason text, rollback boolean)
returns boolean
language plpgsql
volatile
as $function$
declare
  v_now        constant timestamptz := clock_timestamp();
  v_leased     boolean;
  v_rolls_back boolean;
  v_elsewhere  boolean;
begin
  select m.receipt is not null, coalesce(m.headers ? 'cancelled', false),
    r.child_shards is not null
  into v_leased, v_rolls_back, v_elsewhere
  from queue.workflow_continuation as m
  join queue.workflow_run as r on r.run_id = m.msg_id
  where m.msg_id = _cancel_run.run_id
  for no key update of m;
  if v_leased is null or v_rolls_back and rollback then
    return false;
  end if;
  if v_elsewhere then
    perform queue._send_child_cancels(run_id, null, format('run %s, which invoked it, was cancelled', run_id), rollback);
  end if;
  if rollback then
    perform queue._begin_rollback(name, run_id, reason);
    perform queue._cancel_children(run_id, rollback);
    if v_leased then
      perform queue._notify_worker(name, run_id);
    end if;
    return true;
  end if;

  perform queue._end_runs(
    array[run_id],
    array['cancelled'],
    null,
    array[jsonb_build_object(
      'name', 'RunCancelled',
      'code', 'RUN_CANCELLED',
      'message', coalesce(reason, format('run %s was cancelled', run_id))
    )],
    null,
    v_now
  );
  perform queue._cancel_children(run_id, rollback);
  if v_leased then
    perform queue._notify_worker(name, run_id);
  end if;
  return true;
end
$function$;

comment on function queue._cancel_run(text, bigint, text, boolean) is
$comment$Cancels a run, and then the runs that it waits for. The caller has locked them all.
name: of its workflow.
reason, rollback: as in workflow_cancel().
Returns as workflow_cancel().
Touches: as workflow_cancel().$comment$;
