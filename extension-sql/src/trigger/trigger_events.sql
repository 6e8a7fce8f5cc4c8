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
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_definition_id bigint;
  v_topics        text[];
begin
  perform queue._require_current_tables();
  if max_events is null or max_events not between 1 and 1000 then
    perform queue._raise('OX004', format('invalid max_events %s', coalesce(max_events::text, 'null')), null,
      'List between 1 and 1000 events at a time.');
  end if;
  if to_regclass('queue.trigger_event') is null then
    return;
  end if;
  if name is not null or topic is not null then
    if name is not null then
      select d.definition_id into v_definition_id
      from queue.definition as d
      where d.name = trigger_events.name;
      if not found then
        perform queue._raise_definition_not_found(name);
      end if;
    end if;
    -- The topics of events, from one to the next through the index.
    v_topics := array(
      with recursive topics (topic) as (
        select min(e.topic) from queue.trigger_event as e
        union all
        select (select min(e.topic) from queue.trigger_event as e where e.topic > t.topic)
        from topics as t
        where t.topic is not null
      )
      select t.topic
      from topics as t
      where t.topic is not null
        and (t.topic = trigger_events.topic or trigger_events.topic is null)
        and (
          v_definition_id is null
          or exists (
            select
            from queue.definition_trigger as g
            where g.definition_id = v_definition_id
              and queue._topic_matches(g.pattern, t.topic)
          )
        )
    );
  end if;
  return query
    select e.event_id, e.published_at, e.evaluated_at, e.pool, e.topic, e.state, e.error, e.attempts, e.depth, e.message,
      queue._matches_of_event(e.event_id, v_definition_id)
    from (
      select i.event_id
      from (select null::text as topic where v_topics is null union all select unnest(v_topics)) as t
      cross join lateral (
        select e.event_id
        from queue.trigger_event as e
        where (e.topic = t.topic or t.topic is null)
          and (e.event_id < trigger_events.before or trigger_events.before is null)
          and (e.state = trigger_events.state or trigger_events.state is null)
        order by e.event_id desc
        limit max_events
      ) as i
      order by i.event_id desc
      limit max_events
    ) as found
    join queue.trigger_event as e on e.event_id = found.event_id
    order by e.event_id desc;
end
$function$;

comment on function queue.trigger_events(text, text, text, bigint, integer) is
$comment$Lists events that triggers were evaluated for, the newest first. They are kept for 7 days, failed ones for 30.
name: lists events that reach triggers of this definition, whether they matched or not, with its matches alone. topic: of this topic. state: evaluated, retrying, failed or refused. before: with smaller ids; for the next page.
Returns up to max_events rows, 1 to 1000.
Errors: OX004 invalid argument, OX006 the tables are older than the functions, OX012 no such definition.
Touches: nothing; reads queue.trigger_event, queue.trigger_match.$comment$;
