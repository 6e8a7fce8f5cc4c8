create or replace function queue._is_awaited_by_parent(run_id bigint, step_name text)
returns boolean
language plpgsql
stable
-- plans: index
as $function$
begin
  return exists (
      select
      from queue.workflow_run as r
      where r.run_id = _is_awaited_by_parent.run_id
        and r.status = 'running'
    )
    and not exists (
      select
      from queue.workflow_step as s
      where s.run_id = _is_awaited_by_parent.run_id
        and s.step_name = _is_awaited_by_parent.step_name
    );
end
$function$;

comment on function queue._is_awaited_by_parent(bigint, text) is
$comment$Returns whether a running parent has not yet journaled the step that invoked a run, so that the run must be kept.
run_id, step_name: of the parent.
Touches: nothing; reads queue.workflow_run and queue.workflow_step.$comment$;
