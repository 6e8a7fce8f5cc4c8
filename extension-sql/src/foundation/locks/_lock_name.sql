create or replace function queue._lock_name(name text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
begin
  -- Anyone who may connect can take an advisory lock. This row keeps the same name from being inserted until the
  -- transaction ends, and leaves nothing.
  insert into queue.locked_name (name) values (_lock_name.name);
  delete from queue.locked_name as n where n.name = _lock_name.name;
end
$function$;

comment on function queue._lock_name(text) is
$comment$Locks a name until the transaction ends, or waits for the transaction that has locked it.
Touches: queue.locked_name.$comment$;
