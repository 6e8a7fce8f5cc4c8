create or replace function queue.endpoint_resume(endpoint_id bigint)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_changed boolean;
begin
  perform queue._ensure_migrated();
  select e.paused_at is not null into v_changed
  from queue.endpoint as e
  where e.endpoint_id = endpoint_resume.endpoint_id
  for no key update;
  if not found then
    perform queue._raise_endpoint_not_found(endpoint_resume.endpoint_id);
  end if;
  update queue.endpoint as e
  set paused_at = null, check_at = clock_timestamp()
  where e.endpoint_id = endpoint_resume.endpoint_id
    and v_changed;
  perform queue._record_action('endpoint.resume', 'endpoint', array[endpoint_resume.endpoint_id::text],
    changed => v_changed);
  return v_changed;
end
$function$;

comment on function queue.endpoint_resume(bigint) is
$comment$Resumes a paused endpoint, and has it checked at once. Until that check, servers push to it what the last one found.
endpoint_id: as returned by endpoint_add().
Returns true if this call resumed the endpoint; false if it was not paused.
Errors: OX030 no such endpoint.
Touches: queue.endpoint; queue.audit.$comment$;
