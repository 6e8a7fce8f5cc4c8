create or replace function queue.node_types(pool text default null, definition text default null)
returns setof queue.node_type_entry
language plpgsql
stable
security definer
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
  v_pool text;
begin
  if not queue._require_current_tables() then
    return;
  end if;
  v_pool := queue._catalog_pool(pool, definition);
  return query
    select t.pool, t.type, t.version, t.descriptor, t.registered_at, t.last_seen_at, t.last_seen_at > v_now - interval '1 hour'
    from queue.node_type as t
    where v_pool is null
      or t.pool = v_pool
    order by t.pool, t.type, t.version;
end
$function$;

comment on function queue.node_types(text, text) is
$comment$Lists the node types that workers have registered, with their descriptors. Types that no worker serves any longer remain, with is_served false.
pool: as in the settings of documents; null means all, or that of the definition.
definition: the name of a definition, which need not exist; the pool that definition_configure() has set for it counts more than pool.
Returns one row per pool and type, by pool, type and version; no rows if no worker of the pool has ever registered.
Touches: nothing; reads queue.node_type, queue.definition.$comment$;
