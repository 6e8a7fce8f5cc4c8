create or replace function queue.node_types_register(pool text, types json, replace boolean default true)
returns integer
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_now     constant timestamptz := clock_timestamp();
  v_replace constant boolean := coalesce(replace, true);
  v_changed integer;
begin
  perform queue._ensure_migrated();
  perform queue._check_node_types(pool, types);
  -- Many workers start at the same time: a type that is known and was seen lately is neither written nor locked.
  with given as (
    select split_part(d.descriptor ->> 'type', '@', 1) as type,
      split_part(d.descriptor ->> 'type', '@', 2)::integer as version,
      d.descriptor
    from json_array_elements(node_types_register.types) as d (descriptor)
  ),
  due as (
    select g.type, g.version, g.descriptor
    from given as g
    left join queue.node_type as t on t.pool = node_types_register.pool and t.type = g.type and t.version = g.version
    where case
        when t.pool is null then true
        when t.descriptor::text = g.descriptor::text then t.last_seen_at < v_now - interval '10 minutes'
        -- A starting worker replaces it; otherwise it stays while its workers report it.
        else v_replace or t.last_seen_at < v_now - interval '20 minutes'
      end
  )
  insert into queue.node_type as t (registered_at, last_seen_at, version, pool, type, descriptor)
  select v_now, v_now, due.version, node_types_register.pool, due.type, due.descriptor
  from due
  -- In one order, so that two workers do not wait for each other.
  order by due.type, due.version
  on conflict on constraint node_type_pkey do update
  set last_seen_at = excluded.last_seen_at,
    registered_at = case when t.descriptor::text = excluded.descriptor::text then t.registered_at else excluded.registered_at end,
    descriptor = excluded.descriptor
  -- Unless another worker has just written it.
  where t.descriptor::text <> excluded.descriptor::text
    or t.last_seen_at < v_now - interval '10 minutes';
  get diagnostics v_changed = row_count;
  return v_changed;
end
$function$;

comment on function queue.node_types_register(text, json, boolean) is
$comment$Registers the node types that a worker serves, so that checkers, editors and documentation need no worker. A worker calls it when it starts and every 5 minutes. Types that are registered already and were seen within 10 minutes are not written.
pool: of the worker, as in the settings of documents.
types: descriptors, at most 1000: [{"type": "slack.post@2", "params": {...}, ...}, ...].
replace: whether to replace the stored descriptor of a type. False replaces it only if no worker has reported it for 20 minutes, so that an old worker does not undo what a newer one has registered, and what an old one has registered last ends with it.
Returns the number of types that were written.
Errors: OX003 invalid name of a pool, OX004 invalid types.
Touches: queue.node_type.$comment$;
