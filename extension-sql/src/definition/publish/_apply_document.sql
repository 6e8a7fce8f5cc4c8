create or replace function queue._apply_document(
  document  jsonb,
  publish   boolean,
  compiled  jsonb,
  note      text,
  overwrite boolean,
  actor     text
)
returns queue.applied_definition
language plpgsql
volatile
as $function$
declare
  v_applied queue.applied_definition;
  v_draft   record;
begin
  v_applied.name := document ->> 'name';
  select d.revision, d.draft_hash, d.draft_by, d.drafted_at, d.published_version, v.hash into v_draft
  from queue.definition as d
  left join queue.definition_version as v
    on v.definition_id = d.definition_id
    and v.version = d.published_version
  where d.name = v_applied.name
  for no key update of d;
  if not found then
    v_applied.outcome := 'created';
    v_applied.revision := queue.definition_create(v_applied.name, document, actor => _apply_document.actor);
  else
    if v_draft.draft_hash is distinct from v_draft.hash
      and v_draft.draft_hash is distinct from queue._document_hash(document)
      and overwrite is not true
    then
      perform queue._raise_revision_conflict(
        v_applied.name, null, v_draft.revision, v_draft.draft_by, v_draft.drafted_at
      );
    end if;
    v_applied.version := v_draft.published_version;
    v_applied.revision := queue.definition_save_draft(v_applied.name, document, v_draft.revision, actor);
    v_applied.outcome := case when v_applied.revision = v_draft.revision then 'unchanged' else 'changed' end;
  end if;
  if publish then
    v_applied.version := (
      queue.definition_publish(v_applied.name, v_applied.revision, compiled, note, actor)
    ).version;
  end if;
  return v_applied;
end
$function$;

comment on function queue._apply_document(jsonb, boolean, jsonb, text, boolean, text) is
$comment$Carries out definition_apply() for one document.
Returns what has become of its definition.
Errors: as definition_apply().
Touches: as definition_apply().$comment$;
