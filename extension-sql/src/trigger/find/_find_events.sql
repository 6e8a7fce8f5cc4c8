create or replace function queue._find_events(
  topics     text[],
  patterns   text[],
  state      text,
  before     bigint,
  max_events integer
)
returns bigint[]
language plpgsql
stable
-- plans: index
as $function$
declare
  -- States are literals, which the partial index needs.
  v_conditions constant text := concat_ws(
    ' and ',
    'true',
    case when before is not null then 'e.event_id < $3' end,
    case when state is not null then format('e.state = %L', state) end,
    case when state <> 'evaluated' then format('e.state <> %L', 'evaluated') end
  );
  v_found bigint[];
begin
  if topics is not null then
    execute format($sql$
      select array_agg(f.event_id)
      from (
        select i.event_id
        from unnest($1) as t (topic)
        cross join lateral (
          select e.event_id
          from queue.trigger_event as e
          where e.topic = t.topic
            and %s
          order by e.event_id desc
          limit $4
        ) as i
        order by i.event_id desc
        limit $4
      ) as f
    $sql$, v_conditions)
    into v_found
    using topics, patterns, before, max_events;
  else
    execute format($sql$
      select array_agg(f.event_id)
      from (
        select e.event_id
        from queue.trigger_event as e
        where ($2 is null or exists (select from unnest($2) as p (pattern) where queue._topic_matches(p.pattern, e.topic)))
          and %s
        order by e.event_id desc
        limit $4
      ) as f
    $sql$, v_conditions)
    into v_found
    using topics, patterns, before, max_events;
  end if;
  return coalesce(v_found, '{}');
end
$function$;

comment on function queue._find_events(text[], text[], text, bigint, integer) is
$comment$Finds the newest kept events.
topics: of one of these; null for all that patterns match, or for all.
state, before: as in trigger_events(); null means any.
Returns at most max_events ids.
Touches: nothing; reads queue.trigger_event by its index of topics, of states, or from the newest.$comment$;
