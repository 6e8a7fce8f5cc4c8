create or replace function queue._migrate_if_older()
returns boolean
language plpgsql
volatile
as $function$
begin
  if not queue._is_behind() then
    return true;
  elsif to_regclass('queue.queue') is null then
    return false;
  end if;
  perform queue.migrate();
  return true;
end
$function$;

comment on function queue._migrate_if_older() is
$comment$Upgrades tables that an older release has created, at the first call after ALTER EXTENSION. Without tables, it does nothing.
Returns whether there are tables.
Errors: those of migrate().
Touches: nothing if the tables are up to date; otherwise as migrate().$comment$;
