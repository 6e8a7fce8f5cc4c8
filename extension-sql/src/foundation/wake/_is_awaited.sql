create or replace function queue._is_awaited(channel text)
returns boolean
language plpgsql
volatile
as $function$
declare
  v_key constant bigint := queue.wake_key(channel);
begin
  -- One expression: a separate statement for the unlock would cost more than both calls.
  return case when pg_try_advisory_lock(v_key) then not pg_advisory_unlock(v_key) else true end;
end
$function$;

comment on function queue._is_awaited(text) is
$comment$Returns whether a session listens on a channel, which is shown by a shared advisory lock on the channel's key. Two concurrent callers may each take the other for a listener; the only cost is a needless NOTIFY.
Touches: an advisory lock, released immediately.$comment$;
