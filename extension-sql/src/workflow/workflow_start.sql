create or replace function queue.workflow_start(
  name             text,
  input            jsonb default null,
  version          integer default null,
  idempotency_key  text default null,
  retention_days   integer default null,
  delay_seconds    numeric default 0,
  deadline         timestamptz default null,
  tags             jsonb default null,
  on_running       text default 'use-existing',
  on_ended         text default 'use-existing',
  flow_key         text default null,
  priority         integer default null,
  trace            jsonb default null,
  start_at         timestamptz default null,
  deadline_seconds numeric default null
)
returns queue.started_run
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_started queue.started_run;
begin
  select s.run_id, s.created, s.status
  into v_started
  from queue.workflow_start_batch(
    workflow_start.name,
    array[workflow_start.input],
    array[workflow_start.version],
    array[workflow_start.idempotency_key],
    array[workflow_start.retention_days],
    array[workflow_start.delay_seconds],
    array[workflow_start.deadline],
    array[workflow_start.tags],
    array[workflow_start.on_running],
    array[workflow_start.on_ended],
    array[workflow_start.flow_key],
    array[workflow_start.priority],
    array[workflow_start.trace],
    array[workflow_start.start_at],
    array[workflow_start.deadline_seconds]
  ) as s;
  return v_started;
end
$function$;

comment on function queue.workflow_start(text, jsonb, integer, text, integer, numeric, timestamptz, jsonb, text, text, text, integer, jsonb, timestamptz, numeric) is
$comment$Starts a run of a workflow in the caller's transaction.
name: of the workflow; its queue is made at the first start. version: which definition the run stays with; null is the latest one that is registered, see workflow_register(), or 1 when none is. idempotency_key: at most one run of the workflow holds it; what a start does that finds it taken is told by the last two. retention_days: how long the ended run is kept; null is what the version was registered with, or 30 days. delay_seconds: how long the run waits before it begins. deadline: when a run that is still running fails, whatever it does then; null is deadline_seconds after the time at which the run may begin, else what the version was registered with, or never. tags: anything to find the run by. trace: headers of the trace that the start is part of, {"traceparent": …}; the worker goes on with it. on_running: what to do while the run that holds the key is in flight: use-existing (return it), fail, or cancel-existing (cancel it, and start this one). on_ended: what to do when it has ended: use-existing, start-new, or start-new-if-failed (also if it was cancelled). A new run takes the key over; the old one keeps it as its history, and tells its successor in superseded_by. start_at: when the run may begin; with delay_seconds, the later of the two counts. flow_key, priority: for the flow control of the workflow, instead of what it finds in the input: see workflow_set_flow_control().
Returns the run, whether this call created it, and its status.
Errors: OX003 invalid name, OX004 invalid argument, OX010 the key is held by a run in flight and on_running is fail.
Touches: queue.workflow_run, queue.workflow_continuation.$comment$;
