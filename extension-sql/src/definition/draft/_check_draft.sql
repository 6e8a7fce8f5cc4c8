create or replace function queue._check_draft(name text, document jsonb)
returns void
language plpgsql
stable
as $function$
declare
  v_bytes   constant integer := octet_length(document::text);
  v_problem jsonb;
begin
  if (v_bytes > 1048576) is true then
    perform queue._raise('OX008', format('document of definition "%s" has %s bytes', name, v_bytes), null,
      'A document has at most 1048576 bytes. Move a part into another definition.');
  end if;

  v_problem := case
    when jsonb_typeof(document) is distinct from 'object' then
      queue._problem('WRONG_TYPE', '', format('the document is a JSON %s', coalesce(jsonb_typeof(document), 'null')),
        'Give an object.')
    when document ->> 'name' is distinct from name then
      queue._problem('WRONG_VALUE', '/name',
        format('the document has the name "%s", not "%s"', coalesce(left(document ->> 'name', 100), 'null'), name),
        format('Set "name" to "%s"; a definition keeps its name.', name))
  end;
  if v_problem is not null then
    perform queue._raise_invalid_definition(name, jsonb_build_array(v_problem));
  end if;
end
$function$;

comment on function queue._check_draft(text, jsonb) is
$comment$Checks the document of a draft, which need not be complete: it is an object with the name of its definition.
Errors: OX008 document too large, OX015 invalid definition.$comment$;
