create or replace function queue._lock_holders(keys bigint[])
returns text
language sql
volatile
set search_path = pg_catalog, pg_temp
as $function$
  select string_agg(distinct l.pid::text, ', ')
  from pg_locks as l
  where l.locktype = 'advisory'
    and l.granted
    and l.pid <> pg_backend_pid()
    and l.database = (select d.oid from pg_database as d where d.datname = current_database())
    and l.objsubid = 1
    and (l.classid::bigint << 32 | l.objid::bigint) = any (keys)
$function$;

comment on function queue._lock_holders(bigint[]) is
$comment$Returns the process ids of other sessions that hold advisory locks with these keys, for errors.
Returns null instead of an empty array.
Touches: reads pg_locks.$comment$;
