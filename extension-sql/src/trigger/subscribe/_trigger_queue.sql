create or replace function queue._trigger_queue(pool text)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select '__tr_' || pool
$function$;

comment on function queue._trigger_queue(text) is
$comment$Returns the queue of the events that the workers of a pool evaluate triggers for.$comment$;
