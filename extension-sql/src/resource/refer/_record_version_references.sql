create or replace function queue._record_version_references(name text, version integer, document jsonb, compiled jsonb)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._record_references('definition', name, version, null,
    coalesce(compiled #> '{references,resources}', queue._resources_in(document)));
  perform queue._pin_references('definition', name, version, null);
end
$function$;

comment on function queue._record_version_references(text, integer, jsonb, jsonb) is
$comment$Records what a version that is published names, by the checker, or by its document if the checker was not asked.
compiled: as in definition_publish().
Errors: OX004 invalid references, OX015 it names a protected resource that does not exist.
Touches: queue.resource_reference, the rows of protected tables that are named.$comment$;
