create or replace function queue._refuse_reserved_workflow(name text)
returns void
language plpgsql
immutable
parallel safe
as $function$
begin
  if starts_with(name, 'oxbow-resources-') is true then
    perform queue._raise('OX003', format('workflow name "%s" is reserved for lists of resources', left(name, 260)), null,
      'Start a list with resource_list_start(), or choose a name that does not begin with "oxbow-resources-".');
  end if;
end
$function$;

comment on function queue._refuse_reserved_workflow(text) is
$comment$Refuses the names of workflows that list resources: the input of their runs decides whose resources are listed, so only resource_list_start() starts them.
Errors: OX003 reserved name.$comment$;
