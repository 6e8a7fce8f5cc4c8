create or replace function queue._require_no_references(type text, id text)
returns integer
language plpgsql
volatile
as $function$
declare
  v_drafts integer;
  v_owners jsonb;
begin
  select (count(distinct o.owner_id) filter (where not o.protects))::integer,
    jsonb_agg(
      jsonb_build_object(
        'ownerType', o.owner_type, 'ownerId', o.owner_id, 'title', o.title, 'version', o.version, 'state', o.state,
        'pointer', o.pointer
      )
      order by o.owner_type, o.owner_id, o.version, o.pointer
    ) filter (where o.protects)
  into v_drafts, v_owners
  from queue._reference_owners(_require_no_references.type, _require_no_references.id) as o;
  if v_owners is not null then
    perform queue._raise(
      'OX026',
      format('%s "%s" is used by %s "%s"%s', type, id, v_owners -> 0 ->> 'ownerType', v_owners -> 0 ->> 'ownerId',
        case when jsonb_array_length(v_owners) > 1 then format(' and in %s other places', jsonb_array_length(v_owners) - 1) else '' end),
      jsonb_build_object('owners', v_owners)::text,
      'Change what uses it first; references_to() lists it.'
    );
  end if;
  return v_drafts;
end
$function$;

comment on function queue._require_no_references(text, text) is
$comment$Requires a resource that only drafts name, if anything does.
Returns how many drafts do.
Errors: OX026 resource in use, with the owners in the detail.
Touches: nothing; reads as references_to().$comment$;
