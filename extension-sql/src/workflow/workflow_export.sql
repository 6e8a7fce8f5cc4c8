create or replace function queue.workflow_export(filter jsonb default '{}')
returns setof queue.workflow_summary
language plpgsql
stable
security definer
as $function$
declare
  v_filter constant queue.run_filter := queue._run_filter(filter);
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query select s.* from queue._summarize_runs(v_filter, null, null, true) as s;
end
$function$;

comment on function queue.workflow_export(jsonb) is
$comment$Returns all runs that match a filter, newest first, with input and output, as of one instant. Read it through a cursor: the server keeps the result in a temporary file until it has been read.
filter: as in workflow_list().
Returns one row per run.
Errors: OX004 invalid argument.
Touches: nothing; reads queue.workflow_run and queue.workflow_continuation.$comment$;
