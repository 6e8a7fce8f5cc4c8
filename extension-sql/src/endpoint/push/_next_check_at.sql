create or replace function queue._next_check_at(check_at timestamptz, now_at timestamptz, pause interval)
returns timestamptz
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select case
    when check_at is null then null
    when check_at <= now_at then check_at
    else now_at + pause
  end
$function$;

comment on function queue._next_check_at(timestamptz, timestamptz, interval) is
$comment$Returns when an endpoint is checked after a check that has just ended.
check_at: of the endpoint, which endpoints_to_check() has put off by a minute. If it is due again, another check was asked for since then: the one that ended may have found the state before a deployment.
pause: an hour after endpoint_checked(), a minute after endpoint_failed().
Returns null for a paused endpoint.$comment$;
