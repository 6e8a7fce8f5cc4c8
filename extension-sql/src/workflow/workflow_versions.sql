create or replace function queue.workflow_versions(name text default null)
returns setof queue.registered_version
language plpgsql
stable
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select v.workflow_name, v.version, v.retention_days, extract(epoch from v.deadline), v.on_failure, v.registered_at,
      v.input_schema
    from queue.workflow_version as v
    where workflow_versions.name is null
      or v.workflow_name = workflow_versions.name
    order by v.workflow_name, v.version desc;
end
$function$;

comment on function queue.workflow_versions(text) is
$comment$Lists the versions of workflows that workers have registered.
name: lists one workflow; null lists all.
Returns one row per version, by name, highest version first.
Touches: nothing; reads queue.workflow_version.$comment$;
