create or replace function queue.trigger_declare(pool text, types jsonb default '[]', replace boolean default true)
returns integer
language plpgsql
volatile
security definer
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_replace  constant boolean := coalesce(replace, true);
  v_changes  boolean;
  v_declared text[];
  v_stale    bigint[];
begin
  perform queue._ensure_migrated();
  perform queue._create_trigger_queue(pool);
  if jsonb_typeof(types) is distinct from 'array' then
    perform queue._raise('OX004', format('types are a JSON %s, not an array', coalesce(jsonb_typeof(types), 'null')), null,
      'Pass the types as [{"name": ..., "topic": ...}].');
  end if;
  perform queue._check_topic(t.value ->> 'topic', true) from jsonb_array_elements(types) as t;
  select bool_or(not d.is_known) into v_changes
  from queue._due_trigger_types(pool, types, v_replace, v_now) as d;
  -- Usually nothing has changed.
  if v_changes is null then
    return 0;
  end if;
  if v_changes then
    -- As a publish: no definition is subscribed by the topic of a type before.
    perform queue._lock_name('publish');
  end if;
  with declared as (
    insert into queue.trigger_type as y (declared_at, last_seen_at, pool, name, topic, loaded, event_schema)
    select v_now, v_now, trigger_declare.pool, d.name, d.topic, d.loaded, d.event_schema
    from queue._due_trigger_types(pool, types, v_replace, v_now) as d
    where v_changes
      or d.is_known
    order by d.name
    on conflict on constraint trigger_type_pkey do update
    set last_seen_at = excluded.last_seen_at,
      declared_at = case
        when (y.topic, y.loaded, y.event_schema) is distinct from (excluded.topic, excluded.loaded, excluded.event_schema)
        then excluded.declared_at
        else y.declared_at
      end,
      topic = excluded.topic,
      loaded = excluded.loaded,
      event_schema = excluded.event_schema
    -- A type that another worker has just changed needs the lock.
    where v_changes
      or (y.topic, y.loaded, y.event_schema) is not distinct from (excluded.topic, excluded.loaded, excluded.event_schema)
    returning y.name, y.declared_at
  )
  select array_agg(declared.name) into v_declared
  from declared
  where declared.declared_at = v_now;
  if v_declared is null then
    return 0;
  end if;
  v_stale := array(
    select distinct t.definition_id
    from queue.definition_trigger as t
    join queue.definition as d on d.definition_id = t.definition_id
    where d.pool = trigger_declare.pool
      and t.spec ->> 'on' = any (v_declared)
    order by t.definition_id
  );
  if v_stale <> '{}' then
    perform queue._advance_epoch();
    perform queue._subscribe_definition(s.definition_id) from unnest(v_stale) as s (definition_id);
  end if;
  return cardinality(v_declared);
end
$function$;

comment on function queue.trigger_declare(text, jsonb, boolean) is
$comment$For workers: declares the trigger types that the workers of a pool know. A worker calls it when it starts and every 5 minutes. A type that changes subscribes the definitions that use it again. Types that are declared already and were reported within 10 minutes are not written. A name that no type has stands for a topic.
pool: as in the settings of documents.
types: an array of objects with name; topic, a pattern; loaded, the members of the event that workers load; and schema, a JSON Schema of the event.
replace: whether to replace what is declared. False replaces it only if no worker has reported it for 20 minutes, so that an old worker does not undo what a newer one has declared, and what an old one has declared last ends with it.
Returns how many types are new or have changed.
Errors: OX003 invalid pool, OX004 invalid argument.
Touches: queue.trigger_type; if a type changes, a lock for all publishing until the transaction ends, queue.definition_setting, queue.definition_trigger, queue.subscription; creates the queue __tr_<pool>.$comment$;
