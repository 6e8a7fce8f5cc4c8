create or replace function queue._await_lock(key bigint, is_shared boolean, what text)
returns void
language plpgsql
volatile
as $function$
declare
  v_longest constant text := current_setting('lock_timeout');
begin
  if v_longest = '0' then
    perform set_config('lock_timeout', '60s', true);
  end if;
  if is_shared then
    perform pg_advisory_xact_lock_shared(key);
  else
    perform pg_advisory_xact_lock(key);
  end if;
  perform set_config('lock_timeout', v_longest, true);
exception
  when lock_not_available then
    perform queue._raise('55P03',
      format('%s stayed locked%s', what, ', by the processes ' || queue._lock_holders(array[key])), null,
      'Repeat the call once their transactions have ended: pg_stat_activity shows them by their pid.');
end
$function$;

comment on function queue._await_lock(bigint, boolean, text) is
$comment$Waits for an advisory lock that another session has, for lock_timeout, or a minute if that is 0, since any login can take such a lock.
what: the locked thing, for the error.
Errors: 55P03 it stayed locked.
Touches: the lock; as _lock_holders() if that fails.$comment$;
