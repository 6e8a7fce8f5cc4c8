create or replace function queue._wake_key(channel text)
returns bigint
language sql
as $function$
  select queue.wake_key(channel)
$function$;

comment on function queue._wake_key(text) is
$comment$Former name of wake_key(), for SDKs of release 0.1. Removed with the next major version.
Returns the key.
Touches: nothing.$comment$;
