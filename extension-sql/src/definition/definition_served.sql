create or replace function queue.definition_served(pool text default 'default')
returns setof queue.served_definition
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._require_current_tables();
  if to_regclass('queue.definition') is null then
    return;
  end if;
  return query
    select d.name, v.version, v.hash
    from queue.definition as d
    join queue.definition_version as v on v.definition_id = d.definition_id
    cross join lateral (select queue._workflow_queue_id(d.name) as id) as q
    where coalesce(v.document #>> '{settings,pool}', 'default') = definition_served.pool
      and (
        v.state = 'published'
        or exists (select from queue.workflow_continuation as m where m.queue_id = q.id and m.version = v.version)
      )
    order by d.name, v.version;
end
$function$;

comment on function queue.definition_served(text) is
$comment$Lists the versions that the workers of a pool must know: what is published, and archived versions that have runs in progress.
pool: as in the settings of the documents.
Returns one row per version, by name and version.
Touches: nothing; reads queue.definition, queue.definition_version, queue.workflow_continuation.$comment$;
