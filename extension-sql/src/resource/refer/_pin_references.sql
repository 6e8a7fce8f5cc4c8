create or replace function queue._pin_references(owner_type text, owner_id text, version integer, type text)
returns void
language plpgsql
volatile
as $function$
declare
  v_problems  jsonb;
  v_reference record;
begin
  for v_reference in
    select r.reference_id, p.protection_id, r.owner_type, r.owner_id, r.type, r.id, r.pointer
    from queue.resource_protection as p
    join queue.resource_reference as r on r.type = p.type
    where (_pin_references.type is null or p.type = _pin_references.type)
      and (
        _pin_references.owner_id is null and r.reference_id in (
          select s.reference_id from queue._reference_states(p.type, null) as s where s.state <> 'draft'
        )
        or (r.owner_type, r.owner_id, r.version)
          = (_pin_references.owner_type, _pin_references.owner_id, _pin_references.version)
      )
    order by r.type, r.id, r.pointer
  loop
    continue when queue._try_pin_reference(v_reference.protection_id, v_reference.reference_id, v_reference.id);
    if v_reference.owner_type is distinct from 'definition' or _pin_references.owner_id is null then
      perform queue._raise('OX027', format('there is no %s "%s"', v_reference.type, v_reference.id),
        jsonb_build_object('type', v_reference.type, 'id', v_reference.id, 'ownerType', v_reference.owner_type,
          'ownerId', v_reference.owner_id, 'pointer', v_reference.pointer)::text,
        format('%s "%s" names it; let it name another one.', v_reference.owner_type, v_reference.owner_id));
    end if;
    v_problems := coalesce(v_problems, '[]') || queue._problem('UNKNOWN_RESOURCE', v_reference.pointer,
      format('there is no %s "%s"', v_reference.type, v_reference.id), 'Choose another resource, or write its id as its table shows it.');
  end loop;
  if v_problems is not null then
    perform queue._raise_invalid_definition(owner_id, v_problems);
  end if;
end
$function$;

comment on function queue._pin_references(text, text, integer, text) is
$comment$Keeps the protected resources that an owner names from being deleted, from this moment on, by rows with a foreign key to them.
owner_type, owner_id, version: the owner; null for all whose references count.
type: only resources of this type; null for all.
Errors: OX015 a definition names a resource that does not exist, OX027 another owner does.
Touches: queue.protected_reference_<protection_id>, the rows of protected tables that are named; reads queue.resource_protection; as _reference_states().$comment$;
