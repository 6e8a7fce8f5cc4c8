create or replace function queue._subscriptions_for(topic text, message jsonb)
returns bigint[]
language plpgsql
stable
-- plans: index
as $function$
declare
  v_words constant text[] := string_to_array(topic, '.');
begin
  return (
    with recursive walk (node, used) as (
      -- Topics of Oxbow are for patterns that name them: "#" doesn't ask for the outputs of runs.
      select case when starts_with(_subscriptions_for.topic, 'oxbow.') then 'oxbow' end collate "C",
        starts_with(_subscriptions_for.topic, 'oxbow.')::integer
      union
      select next.node, next.used
      from walk
      cross join lateral (
        -- "#" takes one more word.
        select walk.node, walk.used + 1
        where walk.used < cardinality(v_words)
          and (walk.node = '#' or walk.node like '%.#')
        union all
        select concat_ws('.', walk.node, w.word) collate "C", w.used
        from (
          values
            (v_words[walk.used + 1], walk.used + 1),
            ('*', walk.used + 1),
            ('#', walk.used)
        ) as w (word, used)
        where w.used <= cardinality(v_words)
      ) as next (node, used)
      where exists (select from queue.subscription as s where s.pattern = next.node)
        -- Patterns that begin with the node and a ".": "/" is the next character.
        or exists (
          select
          from queue.subscription as s
          where s.pattern >= next.node || '.'
            and s.pattern < next.node || '/'
        )
    ),
    -- Jumps from path to path through the index.
    paths (pattern, filter_path) as (
      select m.node, (
        select s.filter_path
        from queue.subscription as s
        where s.pattern = m.node
        order by s.filter_path
        limit 1
      )
      from (select distinct walk.node from walk where walk.used = cardinality(v_words)) as m
      union all
      select p.pattern, (
        select s.filter_path
        from queue.subscription as s
        where s.pattern = p.pattern
          and s.filter_path > p.filter_path
        order by s.filter_path
        limit 1
      )
      from paths as p
      where p.filter_path is not null
    )
    select coalesce(array_agg(m.subscription_id order by m.subscription_id), '{}')
    from paths as p
    cross join lateral (
      select s.subscription_id
      from queue.subscription as s
      where s.pattern = p.pattern
        and s.filter_path = p.filter_path
        and s.filter_hash = case p.filter_path
          when '' then 0
          else jsonb_hash_extended(message #> p.filter_path::text[], 0)
        end
        and (s.filter is null or message @> s.filter)
      -- One look-up a path. Without it, the planner may read all subscriptions in the order of their ids.
      offset 0
    ) as m
  );
end
$function$;

comment on function queue._subscriptions_for(text, jsonb) is
$comment$Finds the subscriptions that a message of a topic goes to. It walks the index of patterns word by word, along the word itself, "*" and "#", as far as patterns exist, and then looks up filters by the one value of each that is indexed. The cost depends on the subscriptions that match, not on how many exist. A topic of Oxbow goes to patterns whose first word is oxbow.
Returns their ids, in order.
Touches: nothing; reads queue.subscription.$comment$;
