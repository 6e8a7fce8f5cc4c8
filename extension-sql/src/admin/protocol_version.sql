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
$comment$Returns the version of the protocol between workers and functions. It increases only if existing workers can no longer work with the functions.
Returns a number, from 1.$comment$;
