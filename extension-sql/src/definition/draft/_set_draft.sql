create or replace function queue._set_draft(name text, document jsonb, actor text)
returns integer
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_revision integer;
begin
  update queue.definition as d
  set drafted_at = clock_timestamp(),
    revision = d.revision + 1,
    title = _set_draft.document ->> 'title',
    draft_by = _set_draft.actor,
    draft_authors = array_remove(d.draft_authors, _set_draft.actor) || _set_draft.actor,
    draft_hash = queue._document_hash(_set_draft.document),
    draft = _set_draft.document
  where d.name = _set_draft.name
  returning d.revision into v_revision;
  perform queue._record_draft_references(name, document);
  return v_revision;
end
$function$;

comment on function queue._set_draft(text, jsonb, text) is
$comment$Writes the draft of a definition, which the caller has locked and compared, and adds the actor to its authors.
Returns the new revision.
Touches: queue.definition, queue.resource_reference.$comment$;
