create or replace function queue.endpoint_failed(endpoint_id bigint, error text)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  perform queue._ensure_migrated();
  update queue.endpoint as e
  set last_error = left(coalesce(nullif(endpoint_failed.error, ''), 'unknown'), 1000),
    failed_at = v_now,
    check_at = queue._next_check_at(e.check_at, v_now, interval '1 minute')
  where e.endpoint_id = endpoint_failed.endpoint_id;
  return found;
end
$function$;

comment on function queue.endpoint_failed(bigint, text) is
$comment$For servers: records why a check of an endpoint failed. What the last successful check found remains. The endpoint is checked again after a minute; at once if that was asked for during the check.
error: the reason, for people, of which 1000 characters are kept.
Returns true; false if the endpoint was removed.
Touches: queue.endpoint.$comment$;
