create or replace function queue._wake(channel text)
returns void
language plpgsql
volatile
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  if queue._must_record_clock(v_now) then
    perform queue._record_clock(v_now);
  end if;
  -- NOTIFY serializes all notifying commits of the cluster, so it is used only if a session listens.
  if queue._is_awaited(_wake.channel) then
    perform pg_notify(_wake.channel, '');
  end if;
end
$function$;

comment on function queue._wake(text) is
$comment$Notifies the listeners of a channel that work may be available. This is a hint: a session that begins to listen while the caller's transaction is open misses it, and finds the work at its next poll.
It records the clock, because it is called by all that makes something visible.
Touches: an advisory lock, released immediately; NOTIFY only if a session listens; queue.clock_shown.$comment$;
