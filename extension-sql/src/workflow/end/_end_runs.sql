create or replace function queue._end_runs(
  run_ids  bigint[],
  statuses text[],
  outputs  jsonb[],
  errors   jsonb[],
  receipts bigint[],
  ended_at timestamptz
)
returns bigint[]
language plpgsql
volatile
-- plans: index, no bitmap, nested loop, generic
as $function$
declare
  v_deleted  bigint;
  v_asked    boolean;
  v_kept     bigint[];
  v_children bigint[];
begin
  -- A worker can't end a run that was cancelled with rollback since it was delivered.
  with deleted as (
    delete from queue.workflow_continuation as m
    where m.msg_id = any (run_ids)
      and (
        m.headers is null
        or receipts is null
        or (m.headers #>> '{cancelled,receipt}')::bigint is distinct from m.receipt
      )
    returning m.headers ? 'approvals' as has_asked
  )
  select count(*), bool_or(deleted.has_asked) into v_deleted, v_asked from deleted;
  if v_deleted < cardinality(run_ids) and receipts is not null then
    v_kept := queue._release_to_roll_back(run_ids);
  end if;

  with ended as (
    update queue.workflow_run as r
    set status = i.status::queue.workflow_status,
      output = i.output,
      error = i.error,
      completed_at = ended_at,
      expires_at = ended_at + make_interval(days => r.retention_days),
      ended_by = i.receipt,
      paused_at = null,
      pause_reason = null
    from unnest(run_ids, statuses, outputs, errors, receipts) as i (run_id, status, output, error, receipt)
    where r.run_id = i.run_id
      and (v_kept is null or not r.run_id = any (v_kept))
    returning r.run_id, r.is_detached
  )
  select array_agg(ended.run_id) into v_children from ended where not ended.is_detached;

  if v_asked then
    perform queue._end_approvals(run_ids, ended_at);
  end if;
  perform queue._unsubscribe_waits(run_ids);
  if exists (select from queue.queue as q where q.flow_control is not null) then
    perform queue._end_admissions(run_ids);
  end if;
  if 'failed' = any (statuses)
    and exists (select from queue.workflow_version as v where v.on_failure is not null)
  then
    perform queue._start_failure_handlers(run_ids);
  end if;
  if 'failed' = any (statuses)
    and exists (select from queue.definition as d where d.pause_after_failures is not null)
  then
    perform queue._pause_failing_definitions(run_ids);
  end if;
  perform queue._publish_run_ends(run_ids);
  if v_children is not null then
    perform queue._resolve_parents(v_children);
  end if;
  perform queue._wake_run_waiters(run_ids);
  return v_kept;
end
$function$;

comment on function queue._end_runs(bigint[], text[], jsonb[], jsonb[], bigint[], timestamptz) is
$comment$Ends running runs whose continuations the caller has locked: sets status and result, deletes the continuation, starts failure handlers, pauses definitions that keep failing, publishes the ends if a subscription wants them, and wakes listeners.
receipts: of the commits that end the runs; null if no worker does. A run that was cancelled with rollback since its worker received it is given back instead.
Returns the runs that were given back; null instead of an empty array.
Touches: queue.workflow_continuation, also of parents, queue.workflow_run, queue.workflow_step, queue.workflow_admission, queue.approval; as _unsubscribe_waits() and workflow_start_batch(); if they apply, as _pause_failing_definitions() and send_topic().$comment$;
