create or replace function queue.version()
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select '@version@'
$function$;

comment on function queue.version() is
$comment$Returns the version of the functions in this schema.
Returns a version such as "0.1.0".$comment$;
