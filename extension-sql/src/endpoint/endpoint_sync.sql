create or replace function queue.endpoint_sync(endpoint_id bigint)
returns queue.endpoint_state
language plpgsql
volatile
security definer
as $function$
declare
  v_is_paused boolean;
begin
  perform queue._ensure_migrated();
  select e.paused_at is not null into v_is_paused
  from queue.endpoint as e
  where e.endpoint_id = endpoint_sync.endpoint_id
  for no key update;
  if not found then
    perform queue._raise_endpoint_not_found(endpoint_sync.endpoint_id);
  end if;
  if v_is_paused is not false then
    perform queue._raise('OX004', format('endpoint %s is paused', endpoint_sync.endpoint_id), null,
      'Resume it: that checks it too.');
  end if;
  update queue.endpoint as e
  set check_at = clock_timestamp()
  where e.endpoint_id = endpoint_sync.endpoint_id;
  perform queue._record_action('endpoint.sync', 'endpoint', array[endpoint_sync.endpoint_id::text]);
  return queue.endpoint_get(endpoint_sync.endpoint_id);
end
$function$;

comment on function queue.endpoint_sync(bigint) is
$comment$Has a server ask an endpoint at once what it serves, as after a deployment. Otherwise servers ask it hourly, and each minute after a check that failed.
endpoint_id: as returned by endpoint_add().
Returns its row of endpoints(), as the last check left it.
Errors: OX004 the endpoint is paused, OX030 no such endpoint.
Touches: queue.endpoint; queue.audit.$comment$;
