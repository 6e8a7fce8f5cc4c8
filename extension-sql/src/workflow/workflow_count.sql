create or replace function queue.workflow_count(filter jsonb default '{}', at_most integer default 10000)
returns bigint
language plpgsql
stable
security definer
as $function$
declare
  v_filter constant queue.run_filter := queue._run_filter(filter);
  v_count  bigint := 0::bigint;
begin
  perform queue._check_count(at_most, 'at_most', null, 'Pass 1 or more.');
  if queue._require_current_tables() then
    select count(*) into v_count from queue._find_runs(v_filter, null, at_most, sorted => false) as f;
  end if;
  return v_count;
end
$function$;

comment on function queue.workflow_count(jsonb, integer) is
$comment$Counts the runs that match a filter.
filter: as in workflow_list().
at_most: counting stops here, which bounds the cost; a result equal to it means "this many or more".
Returns the number.
Errors: OX004 invalid argument.
Touches: nothing; reads queue.workflow_run and queue.workflow_continuation.$comment$;
