create or replace function queue._lock_definition_shared(name text)
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  perform
  from queue.definition as d
  where d.name = _lock_definition_shared.name
  for key share;
end
$function$;

comment on function queue._lock_definition_shared(text) is
$comment$Keeps a definition from being deleted until the transaction ends, in which a run of it starts: definition_delete() does not see the run before. Waits for a transaction that deletes it, and for no other.
name: that no definition has is accepted.
Touches: a shared lock on the row of queue.definition.$comment$;
