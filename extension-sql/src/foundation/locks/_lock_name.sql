create or replace function queue._lock_name(name text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_bucket smallint;
begin
  -- Anyone who may connect can take an advisory lock; and a lock of a row, however often it is taken, leaves no dead row.
  select l.bucket
  into strict v_bucket
  from queue.name_lock as l
  where l.bucket = queue._lock_bucket(_lock_name.name)
  for update;
end
$function$;

comment on function queue._lock_name(text) is
$comment$Locks a name until the transaction ends, or waits for the transaction that has locked it or another name of its bucket.
Touches: queue.name_lock, a row that it locks.$comment$;
