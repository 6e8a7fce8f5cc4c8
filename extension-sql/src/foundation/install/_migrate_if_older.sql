create or replace function queue._migrate_if_older()
returns void
language plpgsql
volatile
as $function$
begin
  if queue._is_behind() and to_regclass('queue.queue') is not null then
    perform queue.migrate();
  end if;
end
$function$;

comment on function queue._migrate_if_older() is
$comment$Upgrades tables that an older release has created, at the first call after ALTER EXTENSION. Without tables, it does nothing.
Errors: those of migrate().
Touches: nothing if the tables are up to date; otherwise as migrate().$comment$;
