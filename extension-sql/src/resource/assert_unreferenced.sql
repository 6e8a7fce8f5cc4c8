create or replace function queue.assert_unreferenced(type text, id text)
returns integer
language plpgsql
volatile
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return 0;
  end if;
  return queue._require_no_references(type, id);
end
$function$;

comment on function queue.assert_unreferenced(text, text) is
$comment$Raises an error if something names a resource that must not be deleted then. Call it in the transaction that deletes the resource, or that marks it as deleted. It does not exclude that a version which names the resource is published at the same time; protect_resource() does.
type, id: the resource.
Returns how many drafts name it, which do not keep it from being deleted.
Errors: OX006 the tables are older than the functions, OX026 resource in use, with the owners in the detail.
Touches: nothing; reads as references_to().$comment$;
