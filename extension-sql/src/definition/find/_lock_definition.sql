create or replace function queue._lock_definition(
  name text,
  out definition_id bigint,
  out paused_at     timestamptz,
  out archived_at   timestamptz
)
language plpgsql
volatile
as $function$
begin
  select d.definition_id, d.paused_at, d.archived_at into definition_id, paused_at, archived_at
  from queue.definition as d
  where d.name = _lock_definition.name
  for no key update;
  if not found then
    perform queue._raise_definition_not_found(name);
  end if;
end
$function$;

comment on function queue._lock_definition(text) is
$comment$Locks a definition until the transaction ends. Starts don't wait for it. The caller has called _lock_epoch().
Returns what its callers decide by.
Errors: OX012 no such definition.
Touches: queue.definition.$comment$;
