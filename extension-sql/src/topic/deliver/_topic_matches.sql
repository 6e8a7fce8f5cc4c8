create or replace function queue._topic_matches(pattern text, topic text)
returns boolean
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  -- Each word includes the dot before it, so that "#" can match no word at all.
  select '.' || _topic_matches.topic ~ (
    select '^' || string_agg(
        case w.word
          when '*' then '[.][^.]+'
          when '#' then '([.][^.]+)*'
          else '[.]' || regexp_replace(w.word, '[][().*+?^$|\\{}]', '\\\&', 'g')
        end,
        '' order by w.position
      ) || '$'
    from string_to_table(_topic_matches.pattern, '.') with ordinality as w (word, position)
  ) collate "C"
    and (not starts_with(_topic_matches.topic, 'oxbow.') or starts_with(_topic_matches.pattern, 'oxbow.'))
$function$;

comment on function queue._topic_matches(text, text) is
$comment$Returns whether a topic matches one pattern. _subscriptions_for() finds the matching patterns among many.
Returns true or false; null if either is null.$comment$;
