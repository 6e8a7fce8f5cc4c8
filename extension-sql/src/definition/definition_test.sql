create or replace function queue.definition_test(
  name     text,
  document jsonb default null,
  input    jsonb default null,
  pins     jsonb default null,
  options  jsonb default null,
  actor    text default null
)
returns queue.started_test
language plpgsql
volatile
security definer
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_actor    constant text := queue._author(actor);
  v_options  constant jsonb := '{"effects": "mock"}' || jsonb_strip_nulls(coalesce(nullif(options, 'null'), '{}'))
    || jsonb_build_object('pins', coalesce(nullif(pins, 'null'), '{}'));
  v_document jsonb;
  v_pool     text;
  v_reviewed boolean;
  v_place    queue.run_place;
  v_problems jsonb;
  v_test     queue.started_test;
begin
  perform queue._ensure_migrated();
  select t.document, d.pool,
    not d.is_protected
      or t.hash = v.hash
      or t.hash = d.draft_hash and not queue._names_person(d.draft_authors || d.draft_by, v_actor)
  into v_document, v_pool, v_reviewed
  from queue.definition as d
  left join queue.definition_version as v
    on v.definition_id = d.definition_id
    and v.version = d.published_version
  cross join lateral (
    select coalesce(definition_test.document, d.draft) as document,
      coalesce(queue._document_hash(definition_test.document), d.draft_hash) as hash
  ) as t
  where d.name = definition_test.name
  -- As _lock_definition_shared().
  for key share of d;
  if not found then
    perform queue._raise_definition_not_found(name);
  end if;
  perform queue._check_draft(name, v_document);
  v_problems := queue._document_problems(v_document);
  if v_problems is not null then
    perform queue._raise_invalid_definition(name, v_problems);
  end if;
  perform queue._check_test(v_document, v_options);
  if (v_options ->> 'effects' = 'mock' or has_function_privilege(
    queue._caller(), 'queue.definition_publish(text, integer, jsonb, text, text)', 'execute'
  )) is not true then
    perform queue._raise('42501', format('role "%s" may not test definitions with their effects', queue._caller()), null,
      'Make it a member of oxbow_publisher, or test with {"effects": "mock"}.');
  end if;
  -- Otherwise its author could carry out the draft before another person has published it.
  if (v_options ->> 'effects' = 'mock' or v_reviewed) is not true then
    perform queue._raise('42501',
      format('definition "%s" is protected, and "%s" may not test this document with its effects', name, v_actor), null,
      'Test the published version or a draft that others have saved, or test with {"effects": "mock"}.');
  end if;

  v_place := queue._run_place(name);
  if v_place.pool_id is null then
    perform queue._set_workflow_pool(name, v_pool);
    v_place := queue._run_place(name);
  end if;
  v_test.hash := queue.definition_snapshot(v_document, 3);
  v_test.version := nextval('queue.definition_test_version')::integer;
  -- Not by workflow_start_batch(): a test neither waits for the flow control of the workflow nor counts there.
  v_test.run_id := queue._insert_run(name, v_test.version, input, v_now, v_now + interval '1 day', 1, is_test => true);
  insert into queue.definition_test_run (run_id, version, name, hash, started_by, options)
  values (v_test.run_id, v_test.version, definition_test.name, v_test.hash, v_actor, v_options);
  perform queue._insert_continuation(v_place, v_test.run_id, v_test.version, v_now);
  perform queue._wake(queue._worker_channel(name));
  perform queue._record_action('definition.test', 'definition', array[name],
    jsonb_build_object('run', v_test.run_id, 'effects', v_options ->> 'effects', 'author', v_actor));
  return v_test;
end
$function$;

comment on function queue.definition_test(text, jsonb, jsonb, jsonb, jsonb, text) is
$comment$Starts a test run of a definition, also of a draft, in the caller's transaction. Lists and counts of runs leave it out, flow control does not apply, and it is deleted a day after its end, with all that belongs to it. It fails after a day.
document: need not be saved; null means the draft.
pins: by node, what the node does instead of its work: {"output": ...}, {"handle": "approved", "output": ...} or {"error": {"code": ..., "message": ...}}.
options: a JSON object with any of the following keys.
- effects: mock (the default): nodes that read or write anything outside of the run take their pin, or a sample of their output. real: they do their work; the caller must be allowed to publish. Of a protected definition, the document must be the published one, or a draft that the actor has not saved since the last version.
- until: id of a node after which the run ends, with its output.
- only: id of the only node that is executed, with those before it as they are pinned. The output of the run is {"input", "handle", "output", "error", "log"}.
- item: in such a run, the item of the loop that contains the node.
actor: as in definition_create().
Returns the run, with a version that no other run has.
Errors: OX004 invalid argument, OX008 document too large, OX012 no such definition, OX015 invalid definition with its problems in the detail, 42501 the caller may not test with effects, or not this document of a protected definition.
Touches: queue.workflow_run, queue.workflow_continuation, queue.definition_test_run, queue.definition_snapshot, queue.audit; as _set_workflow_pool(), if the definition was never published; as _lock_definition_shared(); reads queue.definition, queue.definition_version.$comment$;
