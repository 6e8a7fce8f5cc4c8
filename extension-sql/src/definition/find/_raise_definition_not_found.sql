create or replace function queue._raise_definition_not_found(name text, version integer default null)
returns void
language plpgsql
stable
as $function$
begin
  if _raise_definition_not_found.version is not null then
    perform queue._raise('OX012', format('definition "%s" has no version %s', left(name, 140), version), null,
      'Check the number with definition_versions().');
  end if;
  perform queue._raise('OX012', format('definition "%s" does not exist', coalesce(left(name, 140), 'null')), null,
    'Check the name with definition_list(), or create it with definition_create().');
end
$function$;

comment on function queue._raise_definition_not_found(text, integer) is
$comment$Raises OX012 for the name of a definition, or for one of its versions.
Errors: OX012, always.$comment$;
