create or replace function queue._skip_lost_ids()
returns void
language plpgsql
volatile
as $function$
declare
  v_lock      constant bigint := hashtextextended('oxbow:ids', 0);
  v_is_called boolean;
begin
  if pg_is_in_recovery() or to_regclass('queue.crash_marker') is null then
    return;
  end if;
  select c.is_called into v_is_called from queue.crash_marker as c;

  if not v_is_called then
    -- A lock of the session, because the caller's transaction may stay open.
    perform pg_advisory_lock(v_lock);
    begin
      select c.is_called into v_is_called from queue.crash_marker as c;
      if not v_is_called then
        perform queue._advance_ids();
        perform setval('queue.crash_marker', 1);
      end if;
    exception
      when query_canceled or others then
        perform pg_advisory_unlock(v_lock);
        raise;
    end;
    perform pg_advisory_unlock(v_lock);
  end if;
  -- No session survives a crash, and no session on a standby gets here before its promotion.
  perform set_config('oxbow.ids_are_ahead', 'on', false);
end
$function$;

comment on function queue._skip_lost_ids() is
$comment$Ensures, before a session draws its first id, that ids are ahead of all that were given out before a crash or promotion that lost transactions. Callers on a hot path test the session's setting oxbow.ids_are_ahead first.
Touches: the session's setting oxbow.ids_are_ahead; once after a crash or a promotion, an advisory lock, queue.crash_marker, and as _advance_ids().$comment$;
