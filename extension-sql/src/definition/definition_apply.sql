create or replace function queue.definition_apply(
  documents jsonb[],
  publish   boolean default false,
  compiled  jsonb[] default null,
  note      text default null,
  overwrite boolean default false,
  actor     text default null
)
returns setof queue.applied_definition
language plpgsql
volatile
security definer
as $function$
begin
  perform queue._ensure_migrated();
  if exists (
    select from unnest(documents) as i (document) group by i.document ->> 'name' having count(*) > 1
  ) then
    perform queue._raise('OX004', 'two documents have the same name', null, 'Apply one document per definition.');
  end if;
  if publish then
    -- As for definition_publish().
    if has_function_privilege(
      queue._caller(), 'queue.definition_publish(text, integer, jsonb, text, text)', 'execute'
    ) is not true then
      perform queue._raise('42501', format('role "%s" may not publish definitions', queue._caller()), null,
        'Make it a member of oxbow_publisher, or apply drafts only.');
    end if;
    perform queue._lock_name('publish');
    perform queue._lock_epoch();
  end if;
  return query
    select a.*
    from (
      select i.document, i.compiled
      from unnest(documents, definition_apply.compiled) as i (document, compiled)
      -- Always in this order, so that two calls don't deadlock.
      order by i.document ->> 'name'
    ) as i
    cross join lateral queue._apply_document(i.document, publish, i.compiled, note, overwrite, actor) as a;
end
$function$;

comment on function queue.definition_apply(jsonb[], boolean, jsonb[], text, boolean, text) is
$comment$Creates or changes definitions, as exported from another database: all of them, or nothing if one is refused.
documents: one per definition, whose names they have.
publish: whether the drafts are published as well.
compiled: parallel to documents, as in definition_publish().
note: as in definition_publish().
overwrite: whether drafts may be replaced that differ from what is published. Otherwise the call raises OX013 for a draft that was changed and not published, unless it equals the document.
actor: as in definition_create().
Returns one row per definition, by name.
Errors: OX004 two documents have the same name, 42501 the caller may not publish; those of definition_create(), definition_save_draft() and definition_publish().
Touches: as definition_create(), definition_save_draft() and definition_publish().$comment$;
