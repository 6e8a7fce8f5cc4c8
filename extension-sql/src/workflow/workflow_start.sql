create or replace function queue.workflow_start(
  name            text,
  input           jsonb default null,
  version         integer default 1,
  idempotency_key text default null,
  retention_days  integer default null,
  delay_seconds   numeric default 0,
  deadline        timestamptz default null,
  tags            jsonb default null
)
returns queue.started_run
language plpgsql
volatile
parallel unsafe
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
    array[workflow_start.tags]
  ) as s;
  return v_started;
end
$function$;

comment on function queue.workflow_start(text, jsonb, integer, text, integer, numeric, timestamptz, jsonb) is
$comment$Starts a run of a workflow in the caller's transaction.
name: of the workflow; its queue is made at the first start. version: which definition the run stays with. idempotency_key: a second start of the workflow with this key finds the first run. retention_days: how long the ended run is kept, 30 when null. delay_seconds: how long the run waits before it begins. deadline: when a run that is still running fails; null is never. tags: anything to find the run by.
Returns the run, whether this call created it, and its status.
Errors: OX003 invalid name, OX004 invalid argument.
Touches: queue.workflow_run, the workflow's queue table.$comment$;
