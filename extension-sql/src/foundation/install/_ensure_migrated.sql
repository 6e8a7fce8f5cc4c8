create or replace function queue._ensure_migrated()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if queue._is_behind() then
    perform queue.migrate();
  end if;
end
$function$;

comment on function queue._ensure_migrated() is
$comment$Makes the tables at the first use, and brings those of an older release up to the functions. They are made at run time, so that they are no members of the extension and pg_dump keeps their rows.
Errors: those of migrate().
Touches: nothing, once the tables are there.$comment$;
