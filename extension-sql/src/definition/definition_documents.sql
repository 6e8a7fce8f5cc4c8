create or replace function queue.definition_documents(names text[], versions integer[] default null)
returns setof queue.definition_document
language plpgsql
stable
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select f.name, f.version, f.state, f.pool, f.hash, f.document, f.compiled, f.layout, f.test
    from (
      select i.position, d.name, v.version, v.state, coalesce(v.document #>> '{settings,pool}', 'default') as pool,
        v.hash, v.document, v.compiled, l.layout, null::jsonb as test
      from unnest(names, versions) with ordinality as i (name, version, position)
      join queue.definition as d on d.name = i.name
      join queue.definition_version as v
        on v.definition_id = d.definition_id
        and v.version = coalesce(i.version, d.published_version)
      left join queue.definition_layout as l
        on l.definition_id = d.definition_id
        and l.version = v.version
      union all
      select i.position, t.name, t.version, 'test', coalesce(s.document #>> '{settings,pool}', 'default'), s.hash,
        s.document, null, null, t.options
      from unnest(names, versions) with ordinality as i (name, version, position)
      join queue.definition_test_run as t
        on t.version = i.version
        and t.name = i.name
      join queue.definition_snapshot as s on s.hash = t.hash
    ) as f
    order by f.position;
end
$function$;

comment on function queue.definition_documents(text[], integer[]) is
$comment$Returns documents of versions.
names, versions: parallel arrays; a version that is null or missing means the published one.
Returns one row per version that exists, in the order of the arrays.
Touches: nothing; reads queue.definition, queue.definition_version, queue.definition_layout, queue.definition_test_run, queue.definition_snapshot.$comment$;
