create or replace function queue._check_workflow_name(name text)
returns void
language plpgsql
immutable
as $function$
begin
  if name ~ '^[a-z0-9][a-z0-9_-]{0,42}$' then
    return;
  end if;
  perform queue._raise(
    'OX003',
    format('invalid workflow name "%s"', coalesce(left(name, 100), 'null')),
    null,
    'A workflow name is 1 to 43 characters of a-z, 0-9, "_" and "-", and begins with a letter or a digit.'
  );
end
$function$;

comment on function queue._check_workflow_name(text) is
$comment$Checks the name of a workflow.
Errors: OX003 invalid name.$comment$;
