create or replace function queue.definition_versions(name text)
returns setof queue.definition_version_info
language plpgsql
stable
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select v.version, v.state, v.hash, v.published_at, v.published_by, v.note
    from queue.definition as d
    join queue.definition_version as v on v.definition_id = d.definition_id
    where d.name = definition_versions.name
    order by v.version desc;
end
$function$;

comment on function queue.definition_versions(text) is
$comment$Lists the versions of a definition.
Returns one row per version, newest first; no rows if it was never published.
Touches: nothing; reads queue.definition, queue.definition_version.$comment$;
