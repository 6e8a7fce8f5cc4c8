create or replace function queue._commit_one_step(
  run_ids        bigint[],
  receipts       bigint[],
  transitions    text[],
  results        jsonb[],
  step_positions integer[],
  step_names     text[],
  step_kinds     text[],
  step_outputs   jsonb[],
  step_errors    jsonb[],
  step_attempts  integer[],
  step_durations double precision[],
  known          jsonb[],
  step_decisions jsonb[],
  committed_at   timestamptz
)
returns boolean
language plpgsql
volatile
-- plans: index, no bitmap, nested loop, generic
as $function$
declare
  v_ends  constant boolean := transitions[1] = 'complete';
  v_bytes integer;
begin
  -- The end of this run reaches a parent, which must be locked before its child. A run never gets one later.
  if v_ends and exists (
    select from queue.workflow_run as r where r.run_id = run_ids[1] and r.parent_run_id is not null
  ) then
    return false;
  end if;

  perform
  from queue.workflow_continuation as m
  where m.msg_id = run_ids[1]
    and m.receipt = receipts[1]
    -- Neither paused nor cancelled, and no approval was requested.
    and m.headers is null
    and (
      known[1] = '{}'
      or exists (
        select from queue.workflow_step as s where s.run_id = run_ids[1] and s.step_name = known[1] ->> 'step'
      )
    )
    and not exists (select from queue.workflow_stream_chunk as c where c.run_id = run_ids[1])
  for no key update of m;
  if not found then
    return false;
  end if;

  insert into queue.workflow_step (
    run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output, error, decisions
  )
  select run_ids[1], committed_at - make_interval(secs => step_durations[1] / 1000), committed_at, step_positions[1],
    step_attempts[1], queue._large_row_size(step_outputs[1], step_errors[1], step_decisions[1]), step_names[1],
    step_kinds[1], step_outputs[1], step_errors[1], step_decisions[1]
  -- Now that the run is locked: a repeated commit finds its step, and the end of a run finds what it frees or ends. Limits
  -- that came while this waited for the lock have counted the run: see _adopt_runs().
  where not exists (
      select from queue.workflow_step as w where w.run_id = run_ids[1] and w.step_name = step_names[1]
    )
    and not (v_ends and (
      exists (select from queue.workflow_admission as a where a.run_id = run_ids[1])
      or exists (select from queue.subscription as s where s.target_type = 'run' and s.target = run_ids[1]::text)
    ))
  returning coalesce(bytes, 0) into v_bytes;
  if not found then
    return false;
  end if;
  if v_bytes > 65536 or step_positions[1] % 64 = 0 then
    perform queue._require_journal_size(run_ids);
    perform queue._require_journal_rows(run_ids, run_ids, results, array[1], step_positions);
  end if;

  if v_ends then
    delete from queue.workflow_continuation as m where m.msg_id = run_ids[1];
    update queue.workflow_run as r
    set status = 'completed',
      output = results[1],
      completed_at = committed_at,
      expires_at = committed_at + make_interval(days => r.retention_days),
      ended_by = receipts[1],
      paused_at = null,
      pause_reason = null
    where r.run_id = run_ids[1];
    perform queue._publish_run_ends(run_ids);
    perform queue._wake_run_waiters(run_ids);
  end if;
  return true;
end
$function$;

comment on function queue._commit_one_step(bigint[], bigint[], text[], jsonb[], integer[], text[], text[], jsonb[], jsonb[], integer[], double precision[], jsonb[], jsonb[], timestamptz) is
$comment$Commits one step of one run that continues or completes, which is what most commits of a worker that isn't busy are, at two thirds of the cost. It does what workflow_commit() would do, or leaves it to that.
run_ids, receipts, transitions, results, step_..., known: as in workflow_commit(), with one element each. The transition is keep without a result, or complete.
committed_at: the current time.
Returns true; false if the lease is not held, the commit is a repeated one, or it may do more than write these rows. Nothing is written then, but the run may be locked.
Errors: OX008 the journal is too large.
Touches: queue.workflow_continuation, queue.workflow_step; if the run completes, queue.workflow_run, as _publish_run_ends(), and NOTIFY only if a client waits for it.$comment$;
