create or replace function queue._served_versions(versions jsonb, name text)
returns integer[]
language sql
as $function$
  select case pg_catalog.jsonb_typeof(versions operator(pg_catalog.->) name)
    when 'array' then
      pg_catalog.translate((versions operator(pg_catalog.->) name)::pg_catalog.text, '[]', '{}')::integer[]
  end
$function$;

comment on function queue._served_versions(jsonb, text) is
$comment$Returns the versions of a workflow that a worker serves, from the argument of workflow_receive(). Inlined where it is used.
Returns null if it serves any version.
Touches: nothing.$comment$;
