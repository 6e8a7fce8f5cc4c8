create or replace function queue._multiplies(pattern text, topic text, ends integer)
returns boolean
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select ends > 0
    and starts_with(topic, 'oxbow.run.')
    and split_part(pattern, '.', 3) is distinct from split_part(topic, '.', 3)
$function$;

comment on function queue._multiplies(text, text, integer) is
$comment$Decides whether a trigger doesn't match the end of a run since it wants the ends of all workflows, and an end of a run led to this one. A definition with such a trigger would otherwise start a run for the end of each run that another one has started, and so on.
pattern: of the trigger. topic: of the event. ends: how many ends of runs led to the run.$comment$;
