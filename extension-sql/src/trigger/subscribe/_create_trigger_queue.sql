create or replace function queue._create_trigger_queue(pool text)
returns void
language plpgsql
volatile
as $function$
begin
  if (pool ~ '^[a-z0-9][a-z0-9_-]{0,41}$') is not true then
    perform queue._raise('OX003', format('invalid pool "%s"', coalesce(left(pool, 100), 'null')), null,
      'A pool is 1 to 42 characters of a-z, 0-9, "_" and "-", and begins with a letter or a digit.');
  end if;
  perform queue._create_internal_queue(queue._trigger_queue(pool), 'standard');
end
$function$;

comment on function queue._create_trigger_queue(text) is
$comment$Creates the queue of the events of a pool, unless it exists.
Errors: OX003 invalid pool.
Touches: as _register_queue().$comment$;
