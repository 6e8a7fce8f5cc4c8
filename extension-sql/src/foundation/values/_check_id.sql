create or replace function queue._check_id(id text, meaning text)
returns void
language plpgsql
immutable
parallel safe
as $function$
begin
  if (length(id) between 1 and 512) is not true then
    perform queue._raise('OX004', format('invalid %s "%s"', meaning, coalesce(left(id, 40), 'null')), null,
      format('A %s is 1 to 512 characters.', meaning));
  end if;
end
$function$;

comment on function queue._check_id(text, text) is
$comment$Checks an identifier chosen by the caller.
meaning: the kind of identifier, for the error.
Errors: OX004 invalid argument.$comment$;
