create or replace function queue._try_lock_name(name text)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set lock_timeout = '1ms'
as $function$
begin
  perform queue._lock_name(name);
  return true;
exception
  when lock_not_available then
    return false;
end
$function$;

comment on function queue._try_lock_name(text) is
$comment$Locks a name until the transaction ends, unless another transaction has locked it.
Returns true if it is locked; false if another transaction has it.
Touches: queue.locked_name.$comment$;
