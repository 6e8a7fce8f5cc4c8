create or replace function queue.definition_create(
  name         text,
  document     jsonb default null,
  folder       text default null,
  scope        jsonb default null,
  is_protected boolean default false,
  actor        text default null
)
returns integer
language plpgsql
volatile
security definer
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_actor    constant text := queue._author(actor);
  v_document constant jsonb := coalesce(
    definition_create.document, jsonb_build_object('format', 1, 'name', definition_create.name, 'nodes', '{}'::jsonb)
  );
begin
  perform queue._ensure_migrated();
  if (name ~ '^[a-z0-9][a-z0-9_-]{0,42}$') is not true then
    perform queue._raise('OX003', format('invalid definition name "%s"', coalesce(left(name, 100), 'null')), null,
      'A definition has the name of its workflow: 1 to 43 characters of a-z, 0-9, "_" and "-", and begins with a letter or a digit.');
  end if;
  perform queue._check_draft(name, v_document);
  perform queue._check_settings(folder, scope);
  -- The second of two concurrent calls waits here and then finds the definition.
  perform queue._lock_name('create:__wf_' || name);
  if starts_with(name, 'oxbow-resources-') is true then
    perform queue._raise('OX016', format('the name "%s" is reserved for lists of resources', name), null,
      'Choose a name that does not begin with "oxbow-resources-".');
  end if;
  if exists (select from queue.definition as d where d.name = definition_create.name) then
    perform queue._raise('OX016', format('definition "%s" exists', name), null,
      'Save its draft with definition_save_draft(), or choose another name.');
  end if;
  if exists (select from queue.workflow_version as v where v.workflow_name = definition_create.name)
    or queue._has_runs(name) is not false
  then
    perform queue._raise('OX016', format('"%s" is the name of a workflow in code', name), null,
      'Choose another name: a definition is a workflow, and shares its names with the workflows that workers register.');
  end if;

  insert into queue.definition (
    created_at, drafted_at, revision, is_protected, name, title, folder, pool, draft_by, draft_authors,
    draft_hash, scope, draft
  )
  values (
    v_now, v_now, 1, coalesce(definition_create.is_protected, false), definition_create.name, v_document ->> 'title',
    definition_create.folder, coalesce(v_document #>> '{settings,pool}', 'default'), v_actor,
    array[v_actor], queue._document_hash(v_document), definition_create.scope, v_document
  );
  -- A workflow in code had this name once. A start by name is then refused until the definition is published.
  if queue._workflow_queue_id(name) is not null then
    perform queue._set_workflow_pool(name, coalesce(v_document #>> '{settings,pool}', 'default'));
  end if;
  perform queue._record_references('definition', name, 0, null, queue._resources_in(v_document));
  perform queue._record_action('definition.create', 'definition', array[name],
    jsonb_build_object('isProtected', coalesce(is_protected, false)));
  return 1;
end
$function$;

comment on function queue.definition_create(text, jsonb, text, jsonb, boolean, text) is
$comment$Creates a definition: a workflow as data. It has a draft, and nothing runs until definition_publish().
name: 1 to 43 characters of a-z, 0-9, "_" and "-"; the name of the workflow, which no workflow in code may have.
document: the draft, which need not be complete; its member "name" is the name of the definition. Null means a document without nodes.
folder: where lists show it.
scope: what events that start its runs must contain, such as {"org_id": "o1"}.
is_protected: whether the authors of a draft since the last version may not publish it, and only an administrator may delete it.
actor: author of the change, believed only from administrators; null means the actor of the transaction, which is the role that logged in unless a server names another one.
Returns the revision of the draft, 1.
Errors: OX003 invalid name, OX004 invalid argument, OX008 document too large, OX015 invalid definition, OX016 name taken.
Touches: the name, locked until the transaction ends; queue.definition, queue.resource_reference, queue.audit; as _set_workflow_pool(), if the workflow has a queue already.$comment$;
