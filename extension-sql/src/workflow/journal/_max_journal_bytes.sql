create or replace function queue._max_journal_bytes()
returns bigint
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select bigint '134217728'
$function$;

comment on function queue._max_journal_bytes() is
$comment$Returns how many bytes the values of a journal have at most: a worker must be able to receive them whole.$comment$;
