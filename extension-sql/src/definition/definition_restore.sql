create or replace function queue.definition_restore(
  name     text,
  version  integer,
  revision integer,
  actor    text default null
)
returns integer
language plpgsql
volatile
security definer
as $function$
declare
  v_document jsonb;
  v_revision integer;
begin
  perform queue._ensure_migrated();
  v_document := queue._find_document(name, version);
  v_revision := queue.definition_save_draft(name, v_document, revision, actor);
  perform queue._record_action('definition.restore', 'definition', array[name],
    jsonb_build_object('version', version), changed => v_revision is distinct from revision);
  return v_revision;
end
$function$;

comment on function queue.definition_restore(text, integer, integer, text) is
$comment$Makes the document of a version the draft, if the draft still has the revision that the caller has seen. Publish it to make it effective.
revision: of the draft that is replaced.
actor: as in definition_create().
Returns the new revision; the present one if the draft equals the version.
Errors: OX012 no such definition or version, OX013 another revision.
Touches: queue.definition, queue.resource_reference, queue.audit; reads queue.definition_version.$comment$;
