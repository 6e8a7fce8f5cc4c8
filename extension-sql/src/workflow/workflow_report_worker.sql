create or replace function queue.workflow_report_worker(
  worker_id   uuid,
  host        text,
  process_id  integer,
  sdk_version text,
  serves      jsonb,
  slots       integer,
  busy_slots  integer
)
returns boolean
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  perform queue._ensure_migrated();
  if (worker_id is not null and jsonb_typeof(serves) = 'object' and slots > 0) is not true then
    perform queue._raise('OX004', format('invalid report of worker %s', coalesce(worker_id::text, 'null')), null,
      'A report has an id, an object of the versions that the worker serves, and the number of its slots.');
  end if;
  update queue.workflow_worker as w
  set last_seen_at = v_now,
    slots = workflow_report_worker.slots,
    busy_slots = coalesce(workflow_report_worker.busy_slots, 0)
  where w.worker_id = workflow_report_worker.worker_id;
  if found then
    return false;
  end if;

  -- Workers that were killed leave their rows to those that start later.
  delete from queue.workflow_worker as w
  where w.worker_id in (
    select gone.worker_id
    from queue.workflow_worker as gone
    where gone.last_seen_at < v_now - interval '1 hour'
    for update skip locked
  );
  insert into queue.workflow_worker (
    started_at, last_seen_at, process_id, slots, busy_slots, worker_id, host, sdk_version, serves
  )
  values (
    v_now, v_now, coalesce(workflow_report_worker.process_id, 0), workflow_report_worker.slots,
    coalesce(workflow_report_worker.busy_slots, 0), workflow_report_worker.worker_id,
    left(coalesce(workflow_report_worker.host, ''), 200), left(coalesce(workflow_report_worker.sdk_version, ''), 40),
    workflow_report_worker.serves
  )
  on conflict on constraint workflow_worker_pkey do nothing;
  return true;
end
$function$;

comment on function queue.workflow_report_worker(uuid, text, integer, text, jsonb, integer, integer) is
$comment$Reports that a worker is there and what it serves, for workflow_workers(). Workers do this every 20 seconds; nothing else depends on it.
worker_id: drawn by the worker when it starts.
serves: the versions that it serves, by workflow: {"<name>": [<version>, ...]}; those of its first report remain.
Returns true for the first report of a worker, which also deletes workers that have not reported for an hour.
Errors: OX004 invalid argument.
Touches: queue.workflow_worker.$comment$;
