create or replace function queue._is_workflow_in_code(name text)
returns boolean
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return exists (
    select from queue.workflow_version as v where v.workflow_name = _is_workflow_in_code.name
  ) or queue._has_runs(name);
end
$function$;

comment on function queue._is_workflow_in_code(text) is
$comment$Returns whether a name that no definition has belongs to a workflow in code: a worker has registered it, or it has runs.
Returns true or false.
Touches: nothing; reads queue.workflow_version, queue.workflow_run, queue.workflow_continuation.$comment$;
