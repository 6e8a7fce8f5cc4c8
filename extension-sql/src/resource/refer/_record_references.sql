create or replace function queue._record_references(
  owner_type text,
  owner_id   text,
  version    integer,
  title      text,
  resources  jsonb
)
returns boolean
language plpgsql
volatile
as $function$
declare
  v_given   constant jsonb := coalesce(nullif(resources, 'null'), '[]');
  v_removed bigint;
  v_added   bigint;
begin
  if (jsonb_typeof(v_given) = 'array' and jsonb_array_length(v_given) <= 10000) is not true or exists (
    select
    from jsonb_array_elements(v_given) as e (resource)
    where jsonb_typeof(e.resource -> 'type') is distinct from 'string'
      or jsonb_typeof(e.resource -> 'id') is distinct from 'string'
      or coalesce(jsonb_typeof(e.resource -> 'pointer'), 'string') <> 'string'
  ) then
    perform queue._raise('OX004', 'invalid references', null,
      'Give an array of at most 10000 objects {"type", "id", "pointer"}.');
  end if;
  perform queue._check_resource_name(e.resource ->> 'type', 'type of resources'),
    queue._check_resource_name(e.resource ->> 'id', 'id of a resource')
  from jsonb_array_elements(v_given) as e (resource);

  -- Unchanged references stay, as drafts are saved at each pause in typing.
  delete from queue.resource_reference as r
  where r.owner_type = _record_references.owner_type
    and r.owner_id = _record_references.owner_id
    and r.version = _record_references.version
    and not exists (
      select
      from jsonb_array_elements(v_given) as e (resource)
      where (r.type, r.id, r.pointer) = (e.resource ->> 'type', e.resource ->> 'id', coalesce(e.resource ->> 'pointer', ''))
        and r.title is not distinct from _record_references.title
    );
  get diagnostics v_removed = row_count;
  insert into queue.resource_reference (version, owner_type, owner_id, type, id, pointer, title)
  select distinct _record_references.version, _record_references.owner_type, _record_references.owner_id,
    e.resource ->> 'type', e.resource ->> 'id', coalesce(e.resource ->> 'pointer', ''), _record_references.title
  from jsonb_array_elements(v_given) as e (resource)
  where not exists (
    select
    from queue.resource_reference as r
    where r.owner_type = _record_references.owner_type
      and r.owner_id = _record_references.owner_id
      and r.version = _record_references.version
      and (r.type, r.id, r.pointer) = (e.resource ->> 'type', e.resource ->> 'id', coalesce(e.resource ->> 'pointer', ''))
  );
  get diagnostics v_added = row_count;
  return v_removed + v_added > 0;
end
$function$;

comment on function queue._record_references(text, text, integer, text, jsonb) is
$comment$Replaces the references of an owner.
version: as in queue.resource_reference.
resources: an array of {"type", "id", "pointer"}; null for no references.
Returns whether anything has changed.
Errors: OX004 invalid argument.
Touches: queue.resource_reference.$comment$;
