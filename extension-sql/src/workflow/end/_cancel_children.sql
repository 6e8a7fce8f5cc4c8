create or replace function queue._cancel_children(run_id bigint, rollback boolean)
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  perform queue._cancel_run(
    c.workflow_name, c.run_id, format('run %s, which invoked it, was cancelled', c.parent_run_id), rollback
  )
  from (
    select r.workflow_name, r.run_id, r.parent_run_id
    from queue.workflow_run as r
    where r.parent_run_id = _cancel_children.run_id
      and r.status = 'running'
      and not r.is_detached
    order by r.run_id
  ) as c;
end
$function$;

comment on function queue._cancel_children(bigint, boolean) is
$comment$Cancels the runs that a cancelled run waits for.
rollback: as in workflow_cancel().
Touches: as workflow_cancel(), whose locks the caller holds.$comment$;
