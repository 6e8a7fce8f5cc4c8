create or replace function queue.wake_key(channel text)
returns bigint
language sql
as $function$
  select pg_catalog.hashtextextended('oxbow:' operator(pg_catalog.||) channel, 0)
$function$;

comment on function queue.wake_key(text) is
$comment$Returns the key of the advisory lock by which a listener asks for notifications.
Senders call NOTIFY only if a session holds this lock in shared mode, so a listener takes it after LISTEN: select pg_advisory_lock_shared(queue.wake_key('queue_orders')).
channel: the channel that the session listens on; queue_<name> for a queue.
Returns the key.
Touches: nothing.$comment$;
