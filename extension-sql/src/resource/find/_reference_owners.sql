create or replace function queue._reference_owners(type text, id text)
returns setof queue.reference_owner
language plpgsql
stable
as $function$
begin
  return query
    select r.owner_type, r.owner_id, coalesce(r.title, d.title), nullif(r.version, 0), s.state, r.pointer, s.state <> 'draft'
    from queue._reference_states(_reference_owners.type, _reference_owners.id) as s
    join queue.resource_reference as r on r.reference_id = s.reference_id
    left join queue.definition as d
      on r.owner_type = 'definition'
      and d.name = r.owner_id
    order by s.state = 'draft', r.owner_type, r.owner_id, r.version, r.pointer;
end
$function$;

comment on function queue._reference_owners(text, text) is
$comment$Finds the places at which a resource is named, as references_to() lists them.
Returns one row per place.
Touches: nothing; reads queue.definition; as _reference_states().$comment$;
