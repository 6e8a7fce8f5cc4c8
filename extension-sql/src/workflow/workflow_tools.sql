create or replace function queue.workflow_tools()
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
    with latest as (
      select distinct on (v.workflow_name) v.workflow_name, v.version, v.retention_days, v.deadline, v.on_failure,
        v.registered_at, v.input_schema
      from queue.workflow_version as v
      order by v.workflow_name, v.version desc
    )
    select l.workflow_name, l.version, l.retention_days, extract(epoch from l.deadline), l.on_failure, l.registered_at,
      l.input_schema
    from latest as l
    -- As text: the operators of json refuse some texts that a schema may contain, such as \u0000.
    where l.input_schema::text like '%"x-oxbow-tool"%'
    order by l.workflow_name;
end
$function$;

comment on function queue.workflow_tools() is
$comment$Lists the workflows that are offered as tools to language models: their latest registered version has an input schema that contains the member x-oxbow-tool, as workers and publishing register it for expose. It counts only at the top of the schema, which callers check.
Returns one row per workflow, its latest version, by name.
Touches: nothing; reads queue.workflow_version.$comment$;
