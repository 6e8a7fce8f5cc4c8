create or replace function queue.workflow_versions(name text default null)
returns setof queue.registered_version
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._require_current_tables();
  if to_regclass('queue.workflow_version') is null then
    return;
  end if;
  return query
    select v.workflow_name, v.version, v.retention_days, extract(epoch from v.deadline), v.on_failure, v.registered_at
    from queue.workflow_version as v
    where workflow_versions.name is null
      or v.workflow_name = workflow_versions.name
    order by v.workflow_name, v.version desc;
end
$function$;

comment on function queue.workflow_versions(text) is
$comment$The versions of workflows that workers have registered.
name: of one workflow; null is all of them.
Returns one row a version, the latest of each workflow first.
Touches: nothing; reads queue.workflow_version.$comment$;
