create or replace function queue._violations_of_definitions()
returns setof queue.violation
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
    select 'a definition publishes one of its versions', format('definition "%s"', d.name),
      format('version %s', coalesce(d.published_version, v.version))
    from queue.definition as d
    left join queue.definition_version as v
      on v.definition_id = d.definition_id
      and v.state = 'published'
    where d.published_version is distinct from v.version
    union all
    select 'starts take the published version', format('definition "%s"', d.name),
      format('version %s is published, %s registered', coalesce(d.published_version::text, 'none'),
        coalesce(r.version::text, 'none'))
    from queue.definition as d
    left join queue.workflow_version as r on r.workflow_name = d.name
    where r.version is distinct from d.published_version
    union all
    select 'the runs of a published definition are received by its pool', format('definition "%s"', d.name),
      format('pool "%s"', d.pool)
    from queue.definition as d
    left join queue.queue as q on q.name = '__wf_' || d.name
    left join queue.queue as p on p.queue_id = q.pool_id
    where d.published_version is not null
      and p.name is distinct from '__wf_@' || d.pool;
end
$function$;

comment on function queue._violations_of_definitions() is
$comment$Finds definitions of which starts would take another version than the published one, or whose workers would not receive their runs.
Returns one row per violation.
Touches: nothing; reads queue.definition, queue.definition_version, queue.workflow_version, queue.queue.$comment$;
