create or replace function queue.endpoint_remove(endpoint_id bigint)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_detail jsonb;
begin
  perform queue._ensure_migrated();
  delete from queue.endpoint as e where e.endpoint_id = endpoint_remove.endpoint_id
  returning jsonb_build_object('url', queue._masked_url(e.url)) into v_detail;
  perform queue._record_action('endpoint.remove', 'endpoint', array[endpoint_remove.endpoint_id::text],
    v_detail, changed => v_detail is not null);
  return v_detail is not null;
end
$function$;

comment on function queue.endpoint_remove(bigint) is
$comment$Removes an endpoint: nothing is pushed to it after the commit. Its versions go to the next newest endpoint that serves them, and to workers. Runs that were pushed to it continue.
endpoint_id: as returned by endpoint_add().
Returns true; false if the endpoint does not exist.
Touches: queue.endpoint; queue.audit.$comment$;
