create or replace function queue.definition_save_draft(
  name     text,
  document jsonb,
  revision integer,
  actor    text default null
)
returns integer
language plpgsql
volatile
security definer
as $function$
declare
  v_actor constant text := queue._author(actor);
  v_hash  constant text := queue._document_hash(document);
  v_draft record;
begin
  perform queue._ensure_migrated();
  perform queue._check_draft(name, document);
  select d.revision, d.draft_hash, d.draft_by, d.drafted_at into v_draft
  from queue.definition as d
  where d.name = definition_save_draft.name
  for no key update;
  if not found then
    perform queue._raise_definition_not_found(name);
  end if;
  -- Also if another revision is named: a save that is repeated because its answer was lost has nothing to overwrite.
  if v_draft.draft_hash = v_hash then
    return v_draft.revision;
  end if;
  if v_draft.revision is distinct from revision then
    perform queue._raise_revision_conflict(name, revision, v_draft.revision, v_draft.draft_by, v_draft.drafted_at);
  end if;
  update queue.definition as d
  set drafted_at = clock_timestamp(),
    revision = d.revision + 1,
    title = definition_save_draft.document ->> 'title',
    draft_by = v_actor,
    draft_authors = array_remove(d.draft_authors, v_actor) || v_actor,
    draft_hash = v_hash,
    draft = definition_save_draft.document
  where d.name = definition_save_draft.name;
  perform queue._record_references('definition', name, 0, null, queue._resources_in(document));
  return v_draft.revision + 1;
end
$function$;

comment on function queue.definition_save_draft(text, jsonb, integer, text) is
$comment$Replaces the draft of a definition, if it still has the revision that the caller has seen. Nothing is published.
document: need not be complete; its member "name" is the name of the definition.
revision: of the draft that the document replaces. If the draft has another one, the call raises OX013 unless the documents are equal.
actor: as in definition_create().
Returns the new revision; the present one if the document is that of the draft.
Errors: OX004 invalid argument, OX008 document too large, OX012 no such definition, OX013 another revision, with its number, author and time in the detail, OX015 invalid definition.
Touches: queue.definition, queue.resource_reference.$comment$;
