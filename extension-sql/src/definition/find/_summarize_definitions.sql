create or replace function queue._summarize_definitions(names text[])
returns setof queue.definition_summary
language plpgsql
stable
as $function$
begin
  return query
    select d.name, d.title, d.folder, d.pool, d.scope, d.state, d.revision, d.draft_by, d.drafted_at,
      v.hash is distinct from d.draft_hash, v.version, v.published_at, v.published_by, d.created_at, d.paused_at,
      d.pause_reason, d.archived_at, d.is_protected
    from queue.definition as d
    left join queue.definition_version as v
      on v.definition_id = d.definition_id
      and v.version = d.published_version
    where d.name = any (names)
    order by d.name;
end
$function$;

comment on function queue._summarize_definitions(text[]) is
$comment$Selects what lists show of definitions.
Returns one row per definition that exists, by name.
Touches: nothing; reads queue.definition, queue.definition_version.$comment$;
