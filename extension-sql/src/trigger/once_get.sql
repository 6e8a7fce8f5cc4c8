create or replace function queue.once_get(name text, key text)
returns setof queue.once_holder
language plpgsql
stable
security definer
-- plans: index
as $function$
begin
  perform queue._require_current_tables();
  return query
    select o.event_id, o.run_id, o.started_at, o.trigger_name
    from queue.definition as d
    join queue.definition_once as o on o.definition_id = d.definition_id
    where d.name = once_get.name
      and o.key_hash = sha256(convert_to(once_get.key, 'UTF8'));
end
$function$;

comment on function queue.once_get(text, text) is
$comment$Returns the run that a definition has started for values of once_for.
key: the values as canonical JSON, as events list it.
Returns a row; no row if no event has had these values.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.definition_once.$comment$;
