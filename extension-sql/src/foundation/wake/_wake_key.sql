create or replace function queue._wake_key(channel text)
returns bigint
language sql
as $function$
  select pg_catalog.hashtextextended('oxbow:' operator(pg_catalog.||) channel, 0)
$function$;

comment on function queue._wake_key(text) is
$comment$Key of the advisory lock that a session which waits for a channel holds in shared mode, so that senders see it.
channel: as listened to; that of a queue is queue_<name>.
Returns the key.
Touches: nothing.$comment$;
