create or replace function queue.endpoints()
returns setof queue.endpoint_state
language plpgsql
stable
security definer
as $function$
begin
  return query select e.* from queue._endpoints(null) as e;
end
$function$;

comment on function queue.endpoints() is
$comment$Lists the endpoints: urls of functions to which servers push runs.
Returns one row per endpoint, newest first.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.endpoint.$comment$;
