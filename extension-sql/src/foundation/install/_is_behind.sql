create or replace function queue._is_behind()
returns boolean
language sql
stable
parallel safe
as $function$
  select pg_catalog.to_regclass('queue.@latest_state@') is null
$function$;

comment on function queue._is_behind() is
$comment$Returns whether the tables are older than the functions, or don't exist. Inlined: hot paths test this condition instead of calling _migrate_if_older().
Returns true if the marker of the latest migration is missing.$comment$;
