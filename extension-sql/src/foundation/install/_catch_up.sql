create or replace function queue._catch_up()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if queue._is_behind() and to_regclass('queue.queue') is not null then
    perform queue.migrate();
  end if;
end
$function$;

comment on function queue._catch_up() is
$comment$Brings tables that an older release has made up to the functions, at their first call after ALTER EXTENSION; where there are no tables, it makes none.
Errors: those of migrate().
Touches: nothing, once the tables are up to date.$comment$;
