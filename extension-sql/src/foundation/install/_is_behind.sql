create or replace function queue._is_behind()
returns boolean
language sql
stable
parallel safe
as $function$
  select pg_catalog.to_regclass('queue.@latest_state@') is null
$function$;

comment on function queue._is_behind() is
$comment$Whether the tables are those of an older release, or none. Hot paths ask before they call _catch_up(): the planner inlines this, and an inlined condition is not a statement.
Returns true if the marker of the latest migration doesn't exist.
Touches: nothing.$comment$;
