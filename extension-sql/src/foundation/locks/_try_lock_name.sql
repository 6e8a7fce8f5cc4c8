create or replace function queue._try_lock_name(name text)
returns boolean
language plpgsql
volatile
-- plans: index
as $function$
begin
  perform
  from queue.name_lock as l
  where l.bucket = queue._lock_bucket(_try_lock_name.name)
  for update skip locked;
  return found;
end
$function$;

comment on function queue._try_lock_name(text) is
$comment$Locks a name until the transaction ends, unless another transaction has locked it or another name of its bucket.
Returns true if it is locked; false if another transaction has it.
Touches: queue.name_lock, a row that it locks.$comment$;
