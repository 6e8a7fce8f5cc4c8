create or replace function queue._is_awaited(channel text)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_key constant bigint := queue.wake_key(channel);
begin
  if pg_try_advisory_lock(v_key) then
    perform pg_advisory_unlock(v_key);
    return false;
  end if;
  return true;
end
$function$;

comment on function queue._is_awaited(text) is
$comment$Tells whether a session waits for a channel: it then holds a shared advisory lock on the channel's key.
Two callers at the same instant may each take the other for a waiter; that costs a needless NOTIFY, nothing else.
Returns true when somebody waits.
Touches: an advisory lock, given back at once.$comment$;
