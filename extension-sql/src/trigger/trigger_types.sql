create or replace function queue.trigger_types(pool text default null, definition text default null)
returns setof queue.trigger_type_entry
language plpgsql
stable
security definer
as $function$
declare
  v_pool text;
begin
  if not queue._require_current_tables() then
    return;
  end if;
  v_pool := queue._catalog_pool(pool, definition);
  return query
    select t.pool, t.name, t.topic, t.loaded, t.event_schema, t.declared_at
    from queue.trigger_type as t
    where v_pool is null
      or t.pool = v_pool
    order by t.pool, t.name;
end
$function$;

comment on function queue.trigger_types(text, text) is
$comment$Lists the trigger types that workers have declared. A name that no type of the pool has stands for a topic.
pool: as in the settings of documents; null means all, or that of the definition.
definition: the name of a definition, which need not exist; the pool that definition_configure() has set for it counts more than pool.
Returns one row per pool and type, by pool and name.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.trigger_type, queue.definition.$comment$;
