create or replace function queue.trigger_declare(pool text, types jsonb default '[]')
returns integer
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_declared text[];
  v_stale    bigint[];
begin
  perform queue._ensure_migrated();
  perform queue._create_trigger_queue(pool);
  if jsonb_typeof(types) is distinct from 'array' then
    perform queue._raise('OX004', format('types are a JSON %s, not an array', coalesce(jsonb_typeof(types), 'null')), null,
      'Pass the types as [{"name": …, "topic": …}].');
  end if;
  if types = '[]' then
    return 0;
  end if;
  perform queue._check_topic(t.value ->> 'topic', true) from jsonb_array_elements(types) as t;
  -- As a publish: no definition is subscribed by the topic of a type before.
  perform pg_advisory_xact_lock(hashtextextended('oxbow:publish', 0));
  with declared as (
    insert into queue.trigger_type as y (declared_at, pool, name, topic, loaded, event_schema)
    select clock_timestamp(), trigger_declare.pool, t.value ->> 'name', t.value ->> 'topic',
      array(select jsonb_array_elements_text(coalesce(t.value -> 'loaded', '[]'))), t.value -> 'schema'
    from jsonb_array_elements(types) as t
    order by t.value ->> 'name'
    on conflict on constraint trigger_type_pkey do update
    set declared_at = excluded.declared_at,
      topic = excluded.topic,
      loaded = excluded.loaded,
      event_schema = excluded.event_schema
    where (y.topic, y.loaded, y.event_schema) is distinct from (excluded.topic, excluded.loaded, excluded.event_schema)
    returning y.name
  )
  select array_agg(declared.name) into v_declared from declared;
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

comment on function queue.trigger_declare(text, jsonb) is
$comment$For workers: declares the trigger types that the workers of a pool know. A type that changes subscribes the definitions that use it again. A name that no type has stands for a topic.
pool: as in the settings of documents.
types: an array of objects with name; topic, a pattern; loaded, the members of the event that workers load; and schema, a JSON Schema of the event.
Returns how many types are new or have changed.
Errors: OX003 invalid pool, OX004 invalid argument.
Touches: an advisory lock for all publishing until the transaction ends, if there are types; queue.trigger_type; if one changes, queue.definition_setting, queue.definition_trigger, queue.subscription; creates the queue __tr_<pool>.$comment$;
