create or replace function queue._pin_table(protection_id bigint)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select 'queue.protected_reference_' || protection_id::text
$function$;

comment on function queue._pin_table(bigint) is
$comment$Returns the name of the table that has a row, with a foreign key to its resource, for each reference to a protected resource.$comment$;
