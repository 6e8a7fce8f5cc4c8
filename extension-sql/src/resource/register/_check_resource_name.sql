create or replace function queue._check_resource_name(name text, meaning text)
returns void
language plpgsql
immutable
parallel safe
as $function$
begin
  if queue._is_name(name) is not true then
    perform queue._raise('OX004', format('invalid %s "%s"', meaning, coalesce(left(name, 260), 'null')), null,
      'It has 1 to 256 characters without control characters, and neither begins nor ends with a space.');
  end if;
end
$function$;

comment on function queue._check_resource_name(text, text) is
$comment$Checks a name of a type of resources, an id of a resource, or an owner of references.
meaning: what the name is of, for the error.
Errors: OX004 invalid argument.$comment$;
