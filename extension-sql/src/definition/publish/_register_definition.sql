create or replace function queue._register_definition(name text, version integer, compiled jsonb)
returns void
language plpgsql
volatile
as $function$
declare
  v_flow constant jsonb := compiled #> '{defaults,flowControl}';
begin
  perform queue._set_workflow_pool(name, (
    select d.pool from queue.definition as d where d.name = _register_definition.name
  ));
  -- Starts by name take the highest version that is registered.
  delete from queue.workflow_version as v
  where v.workflow_name = _register_definition.name;
  insert into queue.workflow_version (registered_at, version, retention_days, deadline, workflow_name, input_schema)
  values (
    clock_timestamp(), _register_definition.version, (compiled #>> '{defaults,retentionDays}')::integer,
    make_interval(secs => (compiled #>> '{defaults,deadlineSeconds}')::double precision), _register_definition.name,
    (compiled #> '{defaults,inputSchema}')::json
  );
  if v_flow is not null or exists (
    select from queue.queue as q where q.name = '__wf_' || _register_definition.name and q.flow_control is not null
  ) then
    perform queue.workflow_set_flow_control(name, v_flow, version);
  end if;
end
$function$;

comment on function queue._register_definition(text, integer, jsonb) is
$comment$Registers the published version of a definition as the one version that starts of its workflow take, with its flow control, and creates the queues of the workflow and its pool.
compiled: its member "defaults" has retentionDays, deadlineSeconds and flowControl, and inputSchema if the definition is offered as a tool.
Errors: OX003 invalid name of the pool, OX004 invalid flow control.
Touches: queue.workflow_version; as _set_workflow_pool() and workflow_set_flow_control().$comment$;
