create or replace function queue._check_name_is_free(name text)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if starts_with(name, 'oxbow-resources-') is true then
    perform queue._raise('OX016', format('the name "%s" is reserved for lists of resources', name), null,
      'Choose a name that does not begin with "oxbow-resources-".');
  end if;
  if exists (select from queue.definition as d where d.name = _check_name_is_free.name) then
    perform queue._raise('OX016', format('definition "%s" exists', name), null,
      'Save its draft with definition_save_draft(), or choose another name.');
  end if;
  if exists (select from queue.workflow_version as v where v.workflow_name = _check_name_is_free.name)
    or queue._has_runs(name) is not false
  then
    perform queue._raise('OX016', format('"%s" is the name of a workflow in code', name), null,
      'Choose another name: a definition is a workflow, and shares the names of those that workers register.');
  end if;
end
$function$;

comment on function queue._check_name_is_free(text) is
$comment$Checks that no definition has a name, and no workflow in code or of Oxbow.
Errors: OX016 name taken.
Touches: nothing; reads queue.definition, queue.workflow_version, queue.workflow_run, queue.workflow_continuation.$comment$;
