create or replace function queue.endpoint_get(endpoint_id bigint)
returns queue.endpoint_state
language plpgsql
stable
security definer
as $function$
declare
  v_endpoint queue.endpoint_state;
begin
  if endpoint_get.endpoint_id is not null then
    select e.* into v_endpoint from queue._endpoints(endpoint_get.endpoint_id) as e;
  end if;
  if v_endpoint.endpoint_id is null then
    perform queue._raise_endpoint_not_found(endpoint_get.endpoint_id);
  end if;
  return v_endpoint;
end
$function$;

comment on function queue.endpoint_get(bigint) is
$comment$Reads an endpoint.
endpoint_id: as returned by endpoint_add().
Returns its row of endpoints().
Errors: OX006 the tables are older than the functions, OX030 no such endpoint.
Touches: nothing; reads queue.endpoint.$comment$;
