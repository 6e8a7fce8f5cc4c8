create or replace function queue.protocol_version()
returns integer
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select 1
$function$;

comment on function queue.protocol_version() is
$comment$Tells which protocol the functions speak. It grows only when workers of before can no longer work with them.
Returns a number from 1.
Touches: nothing.$comment$;
