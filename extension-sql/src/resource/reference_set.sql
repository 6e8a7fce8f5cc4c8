create or replace function queue.reference_set(
  owner_type text,
  owner_id   text,
  resources  jsonb,
  title      text default null
)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_changed boolean;
begin
  perform queue._ensure_migrated();
  perform queue._check_resource_name(owner_type, 'type of owner');
  perform queue._check_resource_name(owner_id, 'id of an owner');
  if (owner_type <> 'definition') is not true then
    perform queue._raise('OX004', 'references of a definition are those of its document', null,
      'Save or publish the definition, or choose another type of owner.');
  end if;
  v_changed := queue._record_references(owner_type, owner_id, 0, title, resources);
  perform queue._pin_references(owner_type, owner_id, 0, null);
  if v_changed then
    perform queue._record_action('resource.set-references', 'resource-owner', array[format('%s:%s', owner_type, owner_id)],
      jsonb_build_object('count', coalesce(jsonb_array_length(nullif(resources, 'null')), 0)));
  end if;
  return v_changed;
end
$function$;

comment on function queue.reference_set(text, text, jsonb, text) is
$comment$Replaces the references of an object of the application, such as a policy, which then keeps the resources that it names from being deleted. Call it in the transaction that changes the object.
owner_type, owner_id: the object; 1 to 256 characters each. The type "definition" is reserved.
resources: an array of {"type", "id", "pointer"}, at most 10000; pointer is where the object names the resource, by default the whole object. An empty array or null removes all references.
title: what lists show for the object.
Returns whether anything has changed.
Errors: OX004 invalid argument, OX027 no such resource, for a type that is protected.
Touches: queue.resource_reference, the rows of protected tables that are named; queue.audit, if anything has changed.$comment$;
