create or replace function queue._require_current_tables()
returns boolean
language plpgsql
stable
parallel safe
as $function$
declare
  v_has_tables constant boolean := to_regclass('queue.queue') is not null;
begin
  if (not v_has_tables or not queue._is_behind()) is not true then
    perform queue._raise('OX006', format('the tables are older than Oxbow %s', queue.version()), null,
      'Call queue.migrate(). An upgrade of the extension replaces functions only.');
  end if;
  return v_has_tables;
end
$function$;

comment on function queue._require_current_tables() is
$comment$Requires tables that are not older than the functions, for functions that only read and so cannot migrate.
Returns whether there are tables, which the first use creates.
Errors: OX006 the tables are older than the functions.$comment$;
