create or replace function queue._record_draft_references(name text, document jsonb)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._record_references('definition', name, 0, null, queue._resources_in(document));
end
$function$;

comment on function queue._record_draft_references(text, jsonb) is
$comment$Makes the references of a draft those of its document.
Touches: queue.resource_reference.$comment$;
