create or replace function queue._endpoints(endpoint_id bigint)
returns setof queue.endpoint_state
language plpgsql
stable
as $function$
declare
  v_is_masked constant boolean := not queue._is_administrator();
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select e.endpoint_id, case when v_is_masked then queue._masked_url(e.url) else e.url end, e.concurrency,
      e.paused_at is not null, e.created_at, e.serves, e.max_duration_ms, e.sdk_version, e.checked_at, e.last_error,
      e.failed_at
    from queue.endpoint as e
    where e.endpoint_id = _endpoints.endpoint_id
      or _endpoints.endpoint_id is null
    order by e.created_at desc, e.endpoint_id desc;
end
$function$;

comment on function queue._endpoints(bigint) is
$comment$Reads endpoints. Passwords in urls are masked for callers that may not see them.
endpoint_id: only this endpoint; null for all.
Returns one row per endpoint, newest first.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.endpoint.$comment$;
