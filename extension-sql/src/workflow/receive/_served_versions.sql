create or replace function queue._served_versions(versions jsonb, name text)
returns integer[]
language sql
as $function$
  select array(select v::integer from pg_catalog.jsonb_array_elements_text(versions -> name) as v)
  where pg_catalog.jsonb_typeof(versions -> name) = 'array'
$function$;

comment on function queue._served_versions(jsonb, text) is
$comment$Returns the versions of a workflow that a worker serves, from the argument of workflow_receive().
Returns null if it serves any version.
Touches: nothing.$comment$;
