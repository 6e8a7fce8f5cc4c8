create or replace function queue._due_trigger_types(pool text, types jsonb, replace boolean, now timestamptz)
returns table (
  name         text,
  topic        text,
  loaded       text[],
  event_schema jsonb,
  is_known     boolean
)
language plpgsql
stable
-- plans: index
as $function$
begin
  return query
    select g.name, g.topic, g.loaded, g.event_schema, o.is_known
    from (
      select t.value ->> 'name' as name, t.value ->> 'topic' as topic, t.value -> 'schema' as event_schema,
        array(select jsonb_array_elements_text(coalesce(t.value -> 'loaded', '[]'))) as loaded
      from jsonb_array_elements(types) as t
    ) as g
    left join queue.trigger_type as y on y.pool = _due_trigger_types.pool and y.name = g.name
    cross join lateral (
      select y.name is not null and (y.topic, y.loaded, y.event_schema) is not distinct from (g.topic, g.loaded, g.event_schema)
        as is_known
    ) as o
    where case
        when y.name is null then true
        when o.is_known then coalesce(y.last_seen_at < _due_trigger_types.now - interval '10 minutes', true)
        -- A starting worker replaces it; otherwise it stays while its workers report it.
        else _due_trigger_types.replace or coalesce(y.last_seen_at < _due_trigger_types.now - interval '20 minutes', true)
      end
    order by g.name;
end
$function$;

comment on function queue._due_trigger_types(text, jsonb, boolean, timestamptz) is
$comment$Selects the types that trigger_declare() has to write: new and changed types, and types that were reported more than 10 minutes ago.
replace: whether a type that has changed replaces one that was reported within 20 minutes.
Returns one row per type, by name. is_known: the database has it with this content.
Touches: nothing; reads queue.trigger_type.$comment$;
