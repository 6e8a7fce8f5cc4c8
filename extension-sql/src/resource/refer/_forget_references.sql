create or replace function queue._forget_references(owner_type text, owner_id text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  delete from queue.resource_reference as r
  where r.owner_type = _forget_references.owner_type
    and r.owner_id = _forget_references.owner_id;
end
$function$;

comment on function queue._forget_references(text, text) is
$comment$Deletes all references of an owner.
Touches: queue.resource_reference.$comment$;
