create or replace function queue.references_to(type text, id text)
returns setof queue.reference_owner
language plpgsql
stable
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query select o.* from queue._reference_owners(references_to.type, references_to.id) as o;
end
$function$;

comment on function queue.references_to(text, text) is
$comment$Lists what names a resource: drafts, published versions and archived versions with runs in progress of definitions, and the owners that reference_set() has recorded.
type, id: the resource.
Returns one row per place, those that protect the resource first, then by owner, version and pointer. No row if nothing names it.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.resource_reference, queue.definition, queue.definition_version, queue.workflow_continuation.$comment$;
