create or replace function queue.workflow_explain(run_id bigint)
returns setof queue.workflow_explanation
language plpgsql
stable
security definer
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_run   record;
  v_found queue.workflow_explanation;
begin
  if not queue._require_current_tables() then
    return;
  end if;
  select r.workflow_name, r.status, r.error, r.completed_at, r.paused_at, r.pause_reason, r.retried,
    case
      when m.undecided is null or queue._has_begun(m.receipt, m.settled_receipt, m.message) then r.workflow_version
    end as workflow_version,
    m.receipt, m.settled_receipt, m.visible_at, m.suspect_at, m.read_ct, coalesce(m.message, '{}') as message,
    coalesce(m.headers, '{}') as headers
  into v_run
  from queue.workflow_run as r
  left join queue.workflow_continuation as m on m.msg_id = r.run_id
  where r.run_id = workflow_explain.run_id;
  if not found then
    return;
  end if;

  if v_run.status <> 'running' then
    v_found.cause := 'ended';
    v_found.summary := format('The run has %s.', case v_run.status when 'cancelled' then 'been cancelled' else v_run.status::text end)
      || case
        when v_run.error is null then ''
        else format(' %s: %s.', v_run.error ->> 'name', rtrim(left(v_run.error ->> 'message', 200), '.'))
      end;
    v_found.remedy := case v_run.status
      when 'completed' then 'Rerun it to execute it once more.'
      else 'Retry it to continue after the last finished step, or rerun it from any step.'
    end;
    v_found.since := v_run.completed_at;
  elsif queue._judge_incarnation(true) in ('moved', 'promoted', 'held') then
    v_found.cause := 'held';
    v_found.summary := 'This database is a copy, and held: no run of it continues.';
    v_found.remedy := 'Release the copy with `oxbow fork release`, as a sandbox or as the live database.';
  elsif v_run.headers ? 'paused' and v_run.receipt is not null and v_run.visible_at > v_now
    and v_run.visible_at <> queue._paused_until(v_run.headers) then
    v_found := queue._explain_lease(run_id, v_run.receipt, v_run.visible_at, v_run.read_ct);
    v_found.cause := 'pausing';
    v_found.remedy := 'The run was paused: no further step starts when the current ones have ended. Resume it to continue.';
  elsif v_run.headers ? 'paused' then
    v_found.cause := 'paused';
    v_found.summary := 'The run was paused' || coalesce(format(': %s', rtrim(v_run.pause_reason, '.')), '') || '.';
    v_found.remedy := 'Resume it.';
    v_found.since := v_run.paused_at;
  elsif v_run.receipt is null and (v_run.headers #>> '{refused,receipt}')::bigint = v_run.settled_receipt then
    v_found := queue._explain_refusal(v_run.workflow_name, v_run.workflow_version, v_run.headers -> 'refused');
  elsif v_run.suspect_at < 'infinity' then
    v_found.cause := 'suspect';
    v_found.summary := 'The leases of its last workers expired without a commit, so the run may end its workers.';
    v_found.remedy := 'A worker that executes no other suspect receives it next. Check the memory and the logs of the workers.';
    v_found.until := case when v_run.suspect_at > v_now then v_run.suspect_at end;
    v_found.details := jsonb_build_object('deliveries', v_run.read_ct);
  elsif v_run.receipt is not null and v_run.visible_at > v_now then
    v_found := queue._explain_lease(run_id, v_run.receipt, v_run.visible_at, v_run.read_ct);
    if (v_run.headers #>> '{refused,receipt}')::bigint = v_run.settled_receipt then
      v_found.summary := v_found.summary
        || format(' It was given back before, because: %s.', rtrim(v_run.headers #>> '{refused,reason}', '.'));
    end if;
  elsif v_run.visible_at <= v_now then
    v_found := queue._explain_readiness(v_run.workflow_name, v_run.workflow_version, v_run.visible_at);
  elsif exists (
    select from queue.workflow_admission as a where a.run_id = workflow_explain.run_id and a.state <> 'admitted' and not a.is_over
  ) then
    v_found := coalesce(
      queue._explain_admission(run_id),
      queue._explain_readiness(v_run.workflow_name, v_run.workflow_version, (
        select a.due_at from queue.workflow_admission as a where a.run_id = workflow_explain.run_id
      ))
    );
  else
    v_found := queue._explain_delay(run_id, v_run.message, v_run.visible_at, coalesce(v_run.retried, 0));
  end if;
  v_found.run_id := run_id;
  return next v_found;
end
$function$;

comment on function queue.workflow_explain(bigint) is
$comment$Explains why a run does not advance: one cause, and what to do about it.
Causes: ended; held (the database is a copy that is held); paused, and pausing while a worker still executes it; executing (until: the end of its lease); suspect (its last workers died); no_worker (no worker has ever served its version, or those that received it can't execute it) and ready (no worker has received it); delayed (until its start); key_limit, key_rate, concurrency_limit and rate_limit (flow control); step_retry and run_retry (until the next attempt); event (until the wait times out), child and sleep.
Returns one row; no row if the run does not exist.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.workflow_run, queue.workflow_continuation, queue.workflow_admission, queue.workflow_gate, queue.workflow_version, queue.workflow_progress and queue.own_incarnation.$comment$;
