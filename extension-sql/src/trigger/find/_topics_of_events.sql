create or replace function queue._topics_of_events(patterns text[])
returns text[]
language plpgsql
stable
-- plans: index
as $function$
declare
  v_topics  text[] := array[]::text[];
  v_pattern record;
  v_found   text[];
begin
  for v_pattern in
    select p.pattern, s.prefix
    from unnest(patterns) as p (pattern)
    cross join lateral (select substring(p.pattern from '^[^*#]*') as prefix) as s
  loop
    if v_pattern.prefix = v_pattern.pattern then
      v_topics := v_topics || v_pattern.pattern;
      continue;
    end if;
    -- The topics with the words before the first wildcard, from one to the next through the index.
    with recursive topics (topic) as (
      (select e.topic from queue.trigger_event as e where e.topic >= v_pattern.prefix order by e.topic limit 1)
      union all
      select (select e.topic from queue.trigger_event as e where e.topic > t.topic order by e.topic limit 1)
      from topics as t
      where starts_with(t.topic, v_pattern.prefix)
    )
    select array_agg(f.topic) into v_found
    from (
      select t.topic
      from topics as t
      where starts_with(t.topic, v_pattern.prefix)
      limit 1001
    ) as f;
    if cardinality(v_found) > 1000 then
      return null;
    end if;
    v_topics := v_topics || array(
      select f.topic from unnest(v_found) as f (topic) where queue._topic_matches(v_pattern.pattern, f.topic)
    );
  end loop;
  return array(select distinct t.topic from unnest(v_topics) as t (topic) order by t.topic);
end
$function$;

comment on function queue._topics_of_events(text[]) is
$comment$Lists the topics of kept events that patterns match. A pattern without wildcards is its own topic.
Returns null if more than 1000 topics begin with the words before the first wildcard of a pattern: then it is cheaper to read the newest events.
Touches: nothing; reads queue.trigger_event by its index of topics.$comment$;
