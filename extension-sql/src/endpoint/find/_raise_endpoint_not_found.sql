create or replace function queue._raise_endpoint_not_found(endpoint_id bigint)
returns void
language plpgsql
stable
as $function$
begin
  perform queue._raise('OX030', format('endpoint %s does not exist', coalesce(endpoint_id::text, 'null')), null,
    'List the endpoints with endpoints(), or add one with endpoint_add().');
end
$function$;

comment on function queue._raise_endpoint_not_found(bigint) is
$comment$Raises OX030 for the id of an endpoint.
Errors: OX030, always.$comment$;
