create or replace function queue.definition_snapshot_get(hash text)
returns jsonb
language plpgsql
stable
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return null;
  end if;
  return (
    select s.document from queue.definition_snapshot as s where s.hash = definition_snapshot_get.hash
  );
end
$function$;

comment on function queue.definition_snapshot_get(text) is
$comment$Returns the document of a test run.
hash: as returned by definition_snapshot().
Returns the document; null if it does not exist, or has expired and was swept.
Touches: nothing; reads queue.definition_snapshot.$comment$;
