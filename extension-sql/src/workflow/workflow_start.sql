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
  deadline_seconds numeric default null,
  route            text default null,
  follows_key      boolean default false
)
returns queue.started_run
language plpgsql
volatile
security definer
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
    array[workflow_start.deadline_seconds],
    routes => case when workflow_start.route is not null then array[workflow_start.route] end,
    follow_keys => array[workflow_start.follows_key]
  ) as s;
  return v_started;
end
$function$;

comment on function queue.workflow_start(text, jsonb, integer, text, integer, numeric, timestamptz, jsonb, text, text, text, integer, jsonb, timestamptz, numeric, text, boolean) is
$comment$Starts a run of a workflow in the caller's transaction.
name: 1 to 43 characters of a-z, 0-9, "_" and "-". The workflow's queue is created at its first start.
version: the definition that the run stays with; null means the highest registered one: see workflow_register(). Before a version is registered, it is 1 until the first registration decides it.
idempotency_key: at most one run of the workflow has a given key; on_running and on_ended decide what a start does if the key is taken.
retention_days: how long the run is kept after it ends; null means the default of the version, or 30 days.
delay_seconds, start_at: when the run may begin; the later of the two counts.
deadline: when the run fails if it is still running; null means deadline_seconds after the time at which it may begin, otherwise the default of the version, or never.
tags: a JSON object to find the run by.
on_running: if the run with the key is still running: use-existing returns it, fail raises OX010, cancel-existing cancels it and starts this run.
on_ended: if the run with the key has ended: use-existing, start-new, or start-new-if-failed, which includes cancelled runs. The new run takes over the key; the ended run keeps a reference to it in superseded_by.
flow_key, priority: for the flow control of the workflow, instead of the values in the input: see workflow_set_flow_control().
trace: headers of the caller's trace, {"traceparent": ...}, which the worker continues.
route: what the run belongs with, such as a tenant. In a fleet, it has to be at home in this shard. The idempotency key is the route itself, or begins with it and a slash.
follows_key: starts the run here wherever the route is at home, because OX029 of its home has led to this shard.
Returns the run, whether this call created it, and its status.
Errors: OX003 invalid or reserved name, OX004 invalid argument, OX010 the run with the key is running and on_running is fail; OX028 the route is at home in another shard; OX029 the run with the key is in another shard.
Touches: queue.workflow_run, queue.workflow_continuation; queue.workflow_admission if the workflow has flow control; NOTIFY only if a worker listens.$comment$;
