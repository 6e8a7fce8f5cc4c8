create or replace function queue.endpoint_pause(endpoint_id bigint)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_changed boolean;
begin
  perform queue._ensure_migrated();
  select e.paused_at is null into v_changed
  from queue.endpoint as e
  where e.endpoint_id = endpoint_pause.endpoint_id
  for no key update;
  if not found then
    perform queue._raise_endpoint_not_found(endpoint_pause.endpoint_id);
  end if;
  update queue.endpoint as e
  set paused_at = clock_timestamp(), check_at = null
  where e.endpoint_id = endpoint_pause.endpoint_id
    and v_changed;
  perform queue._record_action('endpoint.pause', 'endpoint', array[endpoint_pause.endpoint_id::text],
    changed => v_changed);
  return v_changed;
end
$function$;

comment on function queue.endpoint_pause(bigint) is
$comment$Pauses an endpoint: nothing is pushed to it until endpoint_resume(). Its versions go to the next newest endpoint that serves them. Runs that were pushed to it continue.
endpoint_id: as returned by endpoint_add().
Returns true if this call paused the endpoint; false if it was already paused.
Errors: OX030 no such endpoint.
Touches: queue.endpoint; queue.audit.$comment$;
