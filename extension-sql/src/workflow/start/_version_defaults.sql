create or replace function queue._version_defaults(name text)
returns queue.version_defaults
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_defaults queue.version_defaults;
begin
  -- Planned once a session, and cheap where nothing is registered: each start asks.
  if exists (select from queue.workflow_version as v where v.workflow_name = _version_defaults.name) then
    select
      array_agg(v.version order by v.version desc),
      array_agg(v.retention_days order by v.version desc),
      array_agg(v.deadline order by v.version desc)
    into v_defaults
    from queue.workflow_version as v
    where v.workflow_name = _version_defaults.name;
  end if;
  return v_defaults;
end
$function$;

comment on function queue._version_defaults(text) is
$comment$Returns the registered versions of a workflow with the defaults of their runs.
Returns parallel arrays, highest version first; null arrays if none is registered.
Touches: nothing; reads queue.workflow_version.$comment$;
