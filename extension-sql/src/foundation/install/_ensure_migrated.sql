create or replace function queue._ensure_migrated()
returns void
language plpgsql
volatile
as $function$
begin
  if queue._is_behind() then
    perform queue.migrate();
  end if;
end
$function$;

comment on function queue._ensure_migrated() is
$comment$Creates the tables at the first use, and upgrades those of an older release. A function creates them at run time, so they do not belong to the extension, and pg_dump includes their rows.
Errors: those of migrate().
Touches: nothing if the tables are up to date; otherwise as migrate().$comment$;
