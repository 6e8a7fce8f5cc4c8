create or replace function queue._lock_bucket(name text)
returns smallint
language sql
immutable
parallel safe
as $function$
  select (pg_catalog.hashtext(name) operator(pg_catalog.&) 1023)::pg_catalog.int2
$function$;

comment on function queue._lock_bucket(text) is
$comment$Returns the row of queue.name_lock that locks a name.$comment$;
