create or replace function queue.node_types_missing()
returns setof queue.missing_node_type
language plpgsql
stable
security definer
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    with used as (
      select distinct d.pool, d.name, v.version, u.type
      from queue.definition as d
      join queue.definition_version as v on v.definition_id = d.definition_id and v.version = d.published_version
      cross join lateral jsonb_each(v.document -> 'nodes') as n (id, node)
      cross join lateral (values (n.node ->> 'type'), (n.node #>> '{rollback,type}')) as u (type)
      where u.type is not null
    )
    select u.name, u.version, u.pool, u.type, t.last_seen_at
    from used as u
    left join queue.node_type as t on t.pool = u.pool and t.type || '@' || t.version = u.type
    where t.last_seen_at is null
      or t.last_seen_at < v_now - interval '1 hour'
    order by u.pool, u.type, u.name, u.version;
end
$function$;

comment on function queue.node_types_missing() is
$comment$Lists the node types that published definitions use and no worker of their pool has reported within the last hour. Runs of such a version wait until a worker serves it. oxbow doctor reports them.
Returns one row per definition and type. Archived versions with runs in progress are not in it: workflow_refusals() lists runs that no worker can execute.
Touches: nothing; reads queue.definition, queue.definition_version, queue.node_type.$comment$;
