create or replace function queue._child_event(generation integer, step text)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select format(' child:%s/%s', generation, step)
$function$;

comment on function queue._child_event(integer, text) is
$comment$Returns the event under which the end of a run in another shard is buffered for its parent. No client can send it: names of events don't begin with a space.
generation, step: of the parent.$comment$;
