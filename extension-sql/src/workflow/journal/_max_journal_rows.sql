create or replace function queue._max_journal_rows()
returns integer
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select 100000
$function$;

comment on function queue._max_journal_rows() is
$comment$Returns how many rows a journal has at most, about: a worker receives and replays them whole.$comment$;
