create or replace function queue._retry_run(run_id bigint)
returns boolean
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_run   record;
  v_place queue.run_place;
begin
  select r.workflow_name, r.workflow_version, r.started_at, r.status::text as status, r.error, r.superseded_by into v_run
  from queue.workflow_run as r
  where r.run_id = _retry_run.run_id
  for no key update;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  if v_run.status not in ('failed', 'cancelled') then
    return false;
  end if;
  if v_run.superseded_by is not null then
    perform queue._raise('OX010', format('the idempotency key of run %s now belongs to run %s', run_id, v_run.superseded_by),
      null, 'Repeat it with workflow_rerun(), which needs no key.');
  end if;
  if queue._has_rolled_back(run_id) is not false then
    perform queue._raise('OX004', format('run %s has rolled back its steps', run_id), null,
      'Repeat it from its beginning with workflow_rerun().');
  end if;

  perform queue._rewind_run(run_id, case v_run.status when 'failed' then v_run.error end);
  update queue.workflow_run as r
  set status = 'running',
    error = null,
    completed_at = null,
    expires_at = null,
    ended_by = null,
    retried = null,
    rewound = coalesce(r.rewound, 0) + 1,
    deadline = case when r.deadline > v_now then r.deadline end
  where r.run_id = _retry_run.run_id;

  v_place := queue._run_place(v_run.workflow_name);
  perform queue._insert_continuation(v_place, run_id, v_run.workflow_version, v_run.started_at, has_journal => true);
  perform queue._await_admission_if_limited(coalesce(v_place.workflow_queue_id, v_place.queue_id), array[run_id]);
  perform queue._wake(queue._worker_channel(v_run.workflow_name));
  return true;
end
$function$;

comment on function queue._retry_run(bigint) is
$comment$Continues a failed or cancelled run, for workflow_retry() and for changes of many runs.
Returns as workflow_retry().
Errors: OX004 the run was rolled back, OX005 no such run, OX010 another run has its idempotency key.
Touches: as workflow_retry(), without queue.audit.$comment$;
