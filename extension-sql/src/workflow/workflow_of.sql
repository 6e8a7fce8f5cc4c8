create or replace function queue.workflow_of(run_id bigint)
returns text
language plpgsql
stable
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return null;
  end if;
  return (select r.workflow_name from queue.workflow_run as r where r.run_id = workflow_of.run_id);
end
$function$;

comment on function queue.workflow_of(bigint) is
$comment$Reads the name of the workflow of a run, without its input and output.
Returns the name; null if the run does not exist.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.workflow_run.$comment$;
