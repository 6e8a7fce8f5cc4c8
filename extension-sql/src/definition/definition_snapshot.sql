create or replace function queue.definition_snapshot(document jsonb, keep_days integer default 1)
returns text
language plpgsql
volatile
security definer
as $function$
declare
  v_hash constant text := queue._document_hash(document);
begin
  perform queue._ensure_migrated();
  perform queue._check_count(keep_days, 'keep_days', 365, 'Keep the document of a test for 1 to 365 days.');
  perform queue._check_draft(document ->> 'name', document);
  insert into queue.definition_snapshot as s (expires_at, hash, document)
  values (clock_timestamp() + make_interval(days => keep_days), v_hash, definition_snapshot.document)
  on conflict on constraint definition_snapshot_pkey do update
  set expires_at = greatest(s.expires_at, excluded.expires_at);
  return v_hash;
end
$function$;

comment on function queue.definition_snapshot(jsonb, integer) is
$comment$Stores a document that belongs to no version, for test runs, once however often it is stored.
keep_days: how long it is kept at least, 1 to 365.
Returns its hash, by which definition_snapshot_get() returns it.
Errors: OX004 invalid argument, OX008 document too large, OX015 invalid definition.
Touches: queue.definition_snapshot.$comment$;
