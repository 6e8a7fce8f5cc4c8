create or replace function queue._register_definition(name text, version integer, compiled jsonb)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if queue._workflow_queue_id(name) is null then
    perform queue._create_workflow_queue(name);
  end if;
  -- Starts by name take the highest version that is registered.
  delete from queue.workflow_version as v
  where v.workflow_name = _register_definition.name;
  insert into queue.workflow_version (registered_at, version, retention_days, deadline, workflow_name)
  values (
    clock_timestamp(), _register_definition.version, (compiled #>> '{defaults,retentionDays}')::integer,
    make_interval(secs => (compiled #>> '{defaults,deadlineSeconds}')::double precision), _register_definition.name
  );
end
$function$;

comment on function queue._register_definition(text, integer, jsonb) is
$comment$Registers the published version of a definition as the one version that starts of its workflow take, and creates the queue of the workflow.
compiled: its member "defaults" has retentionDays and deadlineSeconds.
Touches: queue.workflow_version; as _create_workflow_queue().$comment$;
