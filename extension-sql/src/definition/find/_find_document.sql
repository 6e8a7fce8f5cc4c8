create or replace function queue._find_document(name text, version integer)
returns jsonb
language plpgsql
stable
as $function$
declare
  v_definition_id bigint;
  v_document      jsonb;
begin
  select d.definition_id into v_definition_id
  from queue.definition as d
  where d.name = _find_document.name;
  if not found then
    perform queue._raise_definition_not_found(name);
  end if;
  select v.document into v_document
  from queue.definition_version as v
  where v.definition_id = v_definition_id
    and v.version = _find_document.version;
  if not found then
    perform queue._raise_definition_not_found(name, coalesce(version, 0));
  end if;
  return v_document;
end
$function$;

comment on function queue._find_document(text, integer) is
$comment$Looks up the document of a version.
Errors: OX012 no such definition or version.
Touches: nothing; reads queue.definition, queue.definition_version.$comment$;
