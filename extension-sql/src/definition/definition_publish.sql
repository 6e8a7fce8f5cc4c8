create or replace function queue.definition_publish(
  name     text,
  revision integer,
  compiled jsonb default null,
  note     text default null,
  actor    text default null
)
returns queue.published_definition
language plpgsql
volatile
security definer
as $function$
declare
  v_actor     constant text := queue._author(actor);
  v_draft     record;
  v_problems  jsonb;
  v_published queue.published_definition;
begin
  perform queue._ensure_migrated();
  -- One publish after another, so that each sees what the others refer to.
  perform queue._lock_name('publish');
  perform queue._lock_epoch();
  select d.definition_id, d.revision, d.draft, d.draft_hash, d.draft_by, d.draft_authors, d.drafted_at,
    d.is_protected, d.published_version, v.hash as published_hash
  into v_draft
  from queue.definition as d
  left join queue.definition_version as v
    on v.definition_id = d.definition_id
    and v.version = d.published_version
  where d.name = definition_publish.name
  for no key update of d;
  if not found then
    perform queue._raise_definition_not_found(name);
  end if;
  if v_draft.revision is distinct from revision then
    perform queue._raise_revision_conflict(name, revision, v_draft.revision, v_draft.draft_by, v_draft.drafted_at);
  end if;
  if v_draft.published_hash = v_draft.draft_hash then
    v_published.version := v_draft.published_version;
    v_published.created := false;
    perform queue._record_action('definition.publish', 'definition', array[name], changed => false);
    return v_published;
  end if;
  -- An archived definition has a draft without authors since its last version; draft_by is the last author of that.
  if (not v_draft.is_protected or not queue._names_person(v_draft.draft_authors || v_draft.draft_by, v_actor)) is not true then
    perform queue._raise('42501', format('definition "%s" is protected, and "%s" has saved its draft', name, v_actor),
      null, 'Let someone publish it who has not saved the draft since the last version.');
  end if;
  v_problems := queue._document_problems(v_draft.draft);
  if v_problems is not null then
    perform queue._raise_invalid_definition(name, v_problems);
  end if;

  v_published.created := true;
  v_published.version := queue._append_version(v_draft.definition_id, compiled, note, v_actor);
  -- The resources that it names, by the checker, or by its document if the checker was not asked.
  perform queue._record_references('definition', name, v_published.version, null,
    coalesce(compiled #> '{references,resources}', queue._resources_in(v_draft.draft)));
  perform queue._pin_references('definition', name, v_published.version, null);
  perform queue._register_definition(name, v_published.version, compiled);
  perform queue._advance_epoch();
  perform queue._subscribe_definition(v_draft.definition_id);
  perform queue._record_action('definition.publish', 'definition', array[name],
    jsonb_build_object('version', v_published.version, 'author', v_actor));
  return v_published;
end
$function$;

comment on function queue.definition_publish(text, integer, jsonb, text, text) is
$comment$Publishes the draft of a definition as a new version, which starts take from the commit on. Runs in progress stay with their versions. Its triggers replace those of the version before: no run starts by an older guard from the first report on that begins after the commit, and an event that is being evaluated by one is evaluated again. An archived definition is published again.
revision: of the draft that is published, as the caller has seen it.
compiled: what the checker derived from the document. SQL checks the shape of a document, the ends of its edges, and that they form no cycle; everything else is for the checker, which callers ask before.
note: shown with the version.
actor: as in definition_create(). The authors of its draft since the last version may not publish a protected definition.
Returns the version, and whether this call created it: publishing an unchanged draft creates no version.
Errors: OX004 invalid argument, OX012 no such definition, OX013 another revision, OX015 invalid definition with its problems in the detail, which may be that a protected resource does not exist, 42501 the definition is protected.
Touches: a lock for all publishing until the transaction ends; queue.definition, queue.definition_version, queue.definition_layout, queue.resource_reference, the rows of protected tables that it names, queue.workflow_version, queue.definition_setting, queue.definition_trigger, queue.subscription, queue.audit; queue.queue at the first version.$comment$;
