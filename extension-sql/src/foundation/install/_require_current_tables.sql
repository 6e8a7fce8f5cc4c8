create or replace function queue._require_current_tables()
returns void
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if queue._is_behind() is not false and to_regclass('queue.queue') is not null then
    perform queue._raise('OX006', format('the tables are older than Oxbow %s', queue.version()), null,
      'Call queue.migrate(). An upgrade of the extension replaces functions only.');
  end if;
end
$function$;

comment on function queue._require_current_tables() is
$comment$Requires tables that are not older than the functions, for functions that only read and so cannot migrate.
Errors: OX006 the tables are older than the functions.
Touches: nothing.$comment$;
