create or replace function queue.trigger_events(
  name       text default null,
  topic      text default null,
  state      text default null,
  before     bigint default null,
  max_events integer default 50
)
returns setof queue.trigger_event_info
language plpgsql
stable
security definer
-- plans: index
as $function$
declare
  v_definition_id bigint;
  v_patterns      text[];
  v_topics        text[];
  v_found         bigint[];
begin
  perform queue._check_count(max_events, 'max_events', 1000, 'List between 1 and 1000 events at a time.');
  if not queue._require_current_tables() then
    return;
  end if;
  if name is not null then
    select d.definition_id into v_definition_id
    from queue.definition as d
    where d.name = trigger_events.name;
    if not found then
      perform queue._raise_definition_not_found(name);
    end if;
    v_patterns := array(
      select distinct t.pattern
      from queue.definition_trigger as t
      where t.definition_id = v_definition_id
        and t.pattern is not null
    );
  end if;
  if topic is not null then
    v_topics := array[topic];
    if v_patterns is not null and not exists (
      select from unnest(v_patterns) as p (pattern) where queue._topic_matches(p.pattern, trigger_events.topic)
    ) then
      return;
    end if;
  elsif v_patterns is not null and coalesce(state, 'evaluated') = 'evaluated' then
    v_topics := queue._topics_of_events(v_patterns);
  end if;
  v_found := queue._find_events(v_topics, v_patterns, state, before, max_events);
  return query
    select e.event_id, e.published_at, e.evaluated_at, e.pool, e.topic, e.state, e.error, e.attempts, e.depth, e.message,
      queue._matches_of_event(e.event_id, v_definition_id)
    from queue.trigger_event as e
    where e.event_id = any (v_found)
    order by e.event_id desc;
end
$function$;

comment on function queue.trigger_events(text, text, text, bigint, integer) is
$comment$Lists events that triggers were evaluated for, the newest first. They are kept for 7 days, failed ones for 30.
name: lists events that reach triggers of this definition, whether they matched or not, with only its matches. topic: of this topic. state: evaluated, retrying, failed or refused. before: with smaller ids; for the next page.
Returns up to max_events rows, 1 to 1000.
Errors: OX004 invalid argument, OX006 the tables are older than the functions, OX012 no such definition.
Touches: nothing; reads queue.trigger_event, queue.trigger_match.$comment$;
