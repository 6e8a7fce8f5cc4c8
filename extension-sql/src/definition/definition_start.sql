create or replace function queue.definition_start(
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
security definer
as $function$
declare
  v_definition record;
begin
  if queue._require_current_tables() is not true then
    perform queue._raise_definition_not_found(name);
  end if;
  select d.definition_id, d.state, d.published_version, d.pause_reason into v_definition
  from queue.definition as d
  where d.name = definition_start.name
  -- As _lock_definition_shared().
  for key share;
  if not found then
    perform queue._raise_definition_not_found(name);
  end if;
  if v_definition.state is distinct from 'published' then
    perform queue._raise_definition_inactive(name, v_definition.state, v_definition.pause_reason);
  end if;
  if definition_start.version is not null and not exists (
    select
    from queue.definition_version as v
    where v.definition_id = v_definition.definition_id
      and v.version = definition_start.version
  ) then
    perform queue._raise_definition_not_found(name, version);
  end if;
  return queue.workflow_start(
    name, input, coalesce(version, v_definition.published_version), idempotency_key, retention_days, delay_seconds, deadline, tags, on_running, on_ended,
    flow_key, priority, trace, start_at, deadline_seconds
  );
end
$function$;

comment on function queue.definition_start(text, jsonb, integer, text, integer, numeric, timestamptz, jsonb, text, text, text, integer, jsonb, timestamptz, numeric) is
$comment$Starts a run of a definition in the caller's transaction. The run stays with its version, whatever is published later.
version: null means the published one.
idempotency_key, retention_days, delay_seconds, deadline, tags, on_running, on_ended, flow_key, priority, trace, start_at, deadline_seconds: as in workflow_start().
Returns the run, whether this call created it, and its status.
Errors: OX012 no such definition or version, OX017 it is paused, archived or was never published; those of workflow_start().
Touches: as workflow_start(); as _lock_definition_shared().$comment$;
