create or replace function queue._append_version(definition_id bigint, compiled jsonb, note text, actor text)
returns integer
language plpgsql
volatile
as $function$
declare
  v_now     constant timestamptz := clock_timestamp();
  v_version constant integer := 1 + greatest(
    (
      select coalesce(max(v.version), 0)
      from queue.definition_version as v
      where v.definition_id = _append_version.definition_id
    ),
    (
      select g.last_version
      from queue.definition as d
      join queue.deleted_definition as g on g.name = d.name
      where d.definition_id = _append_version.definition_id
    )
  );
begin
  update queue.definition_version as v
  set state = 'archived'
  where v.definition_id = _append_version.definition_id
    and v.state = 'published';
  insert into queue.definition_version (
    definition_id, published_at, version, state, hash, published_by, note, document, compiled
  )
  select d.definition_id, v_now, v_version, 'published', d.draft_hash, _append_version.actor, _append_version.note,
    d.draft, _append_version.compiled
  from queue.definition as d
  where d.definition_id = _append_version.definition_id;
  insert into queue.definition_layout (definition_id, moved_at, version, layout)
  select l.definition_id, v_now, v_version, l.layout
  from queue.definition_layout as l
  where l.definition_id = _append_version.definition_id
    and l.version = 0;
  update queue.definition as d
  set published_version = v_version,
    archived_at = null,
    draft_authors = '{}',
    pause_after_failures = (d.draft #>> '{settings,pauseAfterFailures}')::integer,
    pool = coalesce(d.configured_pool, d.draft #>> '{settings,pool}', 'default')
  where d.definition_id = _append_version.definition_id;
  return v_version;
end
$function$;

comment on function queue._append_version(bigint, jsonb, text, text) is
$comment$Adds the draft of a definition as its next version, and archives the version before. A version that a deleted definition of the same name had is not used again.
Returns the number of the version.
Touches: queue.definition_version, queue.definition_layout, queue.definition; reads queue.deleted_definition.$comment$;
