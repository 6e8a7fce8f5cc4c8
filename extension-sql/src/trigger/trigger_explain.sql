create or replace function queue.trigger_explain(name text, event_id bigint, version integer default null)
returns queue.trigger_facts
language plpgsql
stable
security definer
-- plans: index
as $function$
declare
  v_definition record;
  v_facts      queue.trigger_facts;
begin
  perform queue._require_current_tables();
  select d.definition_id, d.published_version, d.state, d.pause_reason into v_definition
  from queue.definition as d
  where d.name = trigger_explain.name;
  if not found then
    perform queue._raise_definition_not_found(name);
  end if;
  select e.event_id, e.published_at, e.evaluated_at, e.topic, e.state, e.error, e.depth, e.message, e.loaded
  into v_facts.event_id, v_facts.published_at, v_facts.evaluated_at, v_facts.topic, v_facts.state, v_facts.error,
    v_facts.depth, v_facts.message, v_facts.loaded
  from queue.trigger_event as e
  where e.event_id = trigger_explain.event_id;
  if not found then
    perform queue._raise('OX024', format('trigger event %s does not exist', event_id), null,
      'Events are kept for 7 days after they were evaluated. List them with trigger_events().');
  end if;
  v_facts.version := coalesce(version, v_definition.published_version);
  v_facts.definition_state := v_definition.state;
  v_facts.pause_reason := v_definition.pause_reason;
  if version is not null then
    perform queue._find_document(name, version);
  end if;
  v_facts.triggers := (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'name', t.name, 'kind', t.kind, 'spec', t.spec, 'pattern', t.pattern, 'filter', t.filter,
          'matchesTopic', coalesce(queue._topic_matches(t.pattern, v_facts.topic), false),
          'matchesFilter', coalesce(t.filter <> 'false' and v_facts.message @> t.filter, true),
          'wasListening', coalesce(g.listening_since <= v_facts.published_at, false),
          'match', (
            select m.value
            from jsonb_array_elements(queue._matches_of_event(v_facts.event_id, v_definition.definition_id)) as m
            where m.value ->> 'trigger' = t.name
          )
        )
        order by t.name
      ),
      '[]'
    )
    from queue._triggers_of(v_definition.definition_id, v_facts.version) as t
    left join queue.definition_trigger as g
      on g.definition_id = v_definition.definition_id
      and g.name = t.name
  );
  return v_facts;
end
$function$;

comment on function queue.trigger_explain(text, bigint, integer) is
$comment$Returns what decides whether an event starts runs of a definition. Clients evaluate the guard over it.
version: whose triggers are asked; null means the published one.
Errors: OX006 the tables are older than the functions, OX012 no such definition or version, OX024 no such event.
Touches: nothing; reads queue.trigger_event, queue.trigger_match, queue.definition_version, queue.definition_trigger.$comment$;
