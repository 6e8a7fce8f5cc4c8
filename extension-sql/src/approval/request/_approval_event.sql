create or replace function queue._approval_event(step text)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  -- Names of events don't begin with a space, so no signal has this one.
  select ' approval:' || step
$function$;

comment on function queue._approval_event(text) is
$comment$Returns the name of the event by which a decision reaches its wait. It is no valid name for a signal, so that only approval_decide() sends it.
Touches: nothing.$comment$;
