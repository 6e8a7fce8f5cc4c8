create or replace function queue._retry_committed_runs(
  run_ids      bigint[],
  transitions  text[],
  results      jsonb[],
  resume_at    timestamptz[],
  held         boolean[],
  committed_at timestamptz
)
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_retried bigint[];
begin
  select array_agg(i.run_id order by i.run_id)
  into v_retried
  from unnest(run_ids, transitions, held) as i (run_id, transition, held)
  where i.held
    and i.transition = 'retry';

  perform queue._rewind_run(i.run_id, i.error)
  from unnest(run_ids, results) as i (run_id, error)
  where i.run_id = any (v_retried);

  -- The next attempt asks again.
  perform queue._end_approvals(v_retried, committed_at);
  with retried as (
    update queue.workflow_run as r
    set retried = coalesce(r.retried, 0) + 1,
      rewound = coalesce(r.rewound, 0) + 1
    where r.run_id = any (v_retried)
    returning r.run_id, r.retried, r.deadline
  ),
  noted as (
    insert into queue.workflow_failed_attempt (run_id, failed_at, retry_at, attempt, step_name, error)
    select i.run_id, committed_at, coalesce(i.resume_at, committed_at), retried.retried, '', i.error
    from unnest(run_ids, results, _retry_committed_runs.resume_at) as i (run_id, error, resume_at)
    join retried on retried.run_id = i.run_id
    on conflict on constraint workflow_failed_attempt_pkey do nothing
  )
  update queue.workflow_continuation as m
  set message = '{}',
    receipt = null,
    settled_receipt = m.receipt,
    visible_at = greatest(
      queue._paused_until(m.headers),
      -- Otherwise it was cancelled with rollback since it was received, and its worker has not noticed.
      case
        when (m.headers #>> '{cancelled,receipt}')::bigint is distinct from m.receipt
        then least(i.resume_at, retried.deadline)
      end,
      clock_timestamp()
    ),
    headers = queue._due_after_pause(m.headers, greatest(
      case
        when (m.headers #>> '{cancelled,receipt}')::bigint is distinct from m.receipt
        then least(i.resume_at, retried.deadline)
      end,
      clock_timestamp()
    )),
    read_ct = 0,
    restarts = null,
    suspect_at = null,
    deaths = null
  from unnest(run_ids, _retry_committed_runs.resume_at) as i (run_id, resume_at)
  join retried on retried.run_id = i.run_id
  where m.msg_id = i.run_id;
  perform queue._unsubscribe_waits(v_retried);
end
$function$;

comment on function queue._retry_committed_runs(bigint[], text[], jsonb[], timestamptz[], boolean[], timestamptz) is
$comment$Gives runs whose body failed another attempt at resume_at, with their journal except for the failure, as workflow_retry() does. A run that was cancelled with rollback meanwhile is visible immediately, or when its pause ends.
results: the errors of the bodies.
held: by position, which leases are locked.
Touches: queue.workflow_continuation, queue.workflow_run, queue.workflow_failed_attempt, queue.approval; as _unsubscribe_waits() and _rewind_run().$comment$;
