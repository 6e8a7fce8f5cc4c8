create or replace function queue._continue_committed_runs(
  run_ids      bigint[],
  transitions  text[],
  results      jsonb[],
  held         boolean[],
  committed_at timestamptz
)
returns bigint[]
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_runs bigint[] := array(
    select i.run_id
    from unnest(run_ids, transitions, held) as i (run_id, transition, held)
    where i.held
      and i.transition = 'continue'
    order by i.run_id
  );
  v_kept bigint[];
begin
  -- A run that was cancelled with rollback since it was delivered needs its journal to roll back.
  v_kept := queue._release_to_roll_back(v_runs);
  if v_kept is not null then
    v_runs := array(select r.run_id from unnest(v_runs) as r (run_id) where r.run_id <> all (v_kept) order by r.run_id);
  end if;
  if v_runs = '{}' then
    return v_kept;
  end if;

  perform queue._end_generations(v_runs, committed_at);
  perform queue._end_approvals(v_runs, committed_at);
  update queue.workflow_run as r
  set generation = coalesce(r.generation, 1) + 1,
    workflow_version = coalesce((i.result ->> 'version')::integer, r.workflow_version),
    input = i.result -> 'input',
    retried = null,
    child_shards = null
  from unnest(run_ids, results) as i (run_id, result)
  where r.run_id = i.run_id
    and r.run_id = any (v_runs);
  perform queue._forget_generations(v_runs);

  update queue.workflow_continuation as m
  set message = '{}',
    version = case when m.workflow_queue_id is null then r.workflow_version else 1 end,
    receipt = null,
    settled_receipt = m.receipt,
    visible_at = greatest(queue._paused_until(m.headers), clock_timestamp()),
    headers = queue._due_after_pause(m.headers, clock_timestamp()),
    read_ct = 0,
    restarts = null,
    suspect_at = null,
    deaths = null
  from queue.workflow_run as r
  where m.msg_id = any (v_runs)
    and r.run_id = m.msg_id;
  perform queue._unsubscribe_waits(v_runs);
  perform queue._wake_workflows(v_runs);
  return v_kept;
end
$function$;

comment on function queue._continue_committed_runs(bigint[], text[], jsonb[], boolean[], timestamptz) is
$comment$Begins the next generation of runs whose bodies returned ctx.continueAsNew(): with a new input, an empty journal, and a continuation that any worker may receive immediately. Buffered signals, published values, tags, the idempotency key, the deadline, and the place in flow control are kept.
results: {"input", "version"}; without version, the run keeps its version.
held: by position, which leases are locked.
Returns the runs that were cancelled with rollback since they were received, and roll back instead; null instead of an empty array.
Touches: queue.workflow_continuation, queue.workflow_run, queue.approval; as _unsubscribe_waits(), _end_generations() and _forget_generations().$comment$;
