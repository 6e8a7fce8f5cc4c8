create or replace function queue._is_fifo(queue text)
returns boolean
language sql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select exists (select from queue.queue as q where q.name = queue and q.kind = 'fifo')
$function$;

comment on function queue._is_fifo(text) is
$comment$Returns whether there is a FIFO queue of this name. One that was dropped may have been created again as another kind.
Touches: nothing; reads queue.queue.$comment$;
