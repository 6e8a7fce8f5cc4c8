create or replace function queue._start_one_run(
  name          text,
  inputs        jsonb[],
  versions      integer[],
  tags          jsonb[],
  traces        jsonb[],
  lease_seconds numeric[],
  moment        timestamptz
)
returns queue.batch_start
language plpgsql
volatile
-- plans: index, no bitmap, nested loop, generic
as $function$
declare
  v_queue_id integer;
  v_max_days integer;
  v_started  queue.batch_start;
begin
  select q.queue_id, (select s.max_retention_days from queue.workflow_setting as s)
  into v_queue_id, v_max_days
  from queue.queue as q
  where q.name = '__wf_' || _start_one_run.name
    and q.pool_id is null
    and q.flow_control is null
    and not exists (
      select
      from queue.workflow_version as v
      where v.workflow_name = _start_one_run.name
        and v.version = versions[1]
        and (v.retention_days is not null or v.deadline is not null)
    );
  if not found then
    return null;
  end if;
  if lease_seconds is not null
    and not exists (select from queue._own_incarnation() as i where i.is_at_home)
  then
    return null;
  end if;

  insert into queue.workflow_run (
    run_id, started_at, retention_days, workflow_version, status, workflow_name, input, tags, trace
  )
  values (
    nextval('queue.workflow_run_run_id_seq'), moment, least(30, v_max_days), versions[1], 'running',
    _start_one_run.name, inputs[1], _start_one_run.tags[1], traces[1]
  )
  returning run_id into v_started.run_id;

  if lease_seconds is not null then
    v_started.receipt := queue._new_receipt(v_started.run_id, null);
    v_started.started_at := moment;
  end if;
  insert into queue.workflow_continuation (
    msg_id, visible_at, enqueued_at, receipt, queue_id, version, read_ct, message
  )
  values (
    v_started.run_id,
    clock_timestamp() + coalesce(make_interval(secs => lease_seconds[1]::double precision), interval '0'), moment,
    v_started.receipt, v_queue_id, versions[1], case when v_started.receipt is null then 0 else 1 end, '{}'
  );
  if v_started.receipt is null then
    perform queue._wake(queue._workflow_channel(_start_one_run.name));
  end if;
  v_started.created := true;
  v_started.status := 'running';
  return v_started;
end
$function$;

comment on function queue._start_one_run(text, jsonb[], integer[], jsonb[], jsonb[], numeric[], timestamptz) is
$comment$Starts one run of a given version without options but tags, a trace and a lease, which is the usual start of an application that isn't busy, at four fifths of the cost. It does what workflow_start_batch() would do, or nothing.
inputs, versions, tags, traces, lease_seconds: as in workflow_start_batch(), with one element or null.
moment: the current time.
Returns the result; null if the run is not plain, since its workflow was never started, is in a pool, has flow control or defaults of the version, or the database is held as a copy. Nothing is written then.
Touches: queue.workflow_run, queue.workflow_continuation; NOTIFY only if a worker listens.$comment$;
