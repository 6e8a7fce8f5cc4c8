create or replace function queue._outcome_without_lease(run_id bigint, receipt bigint, ends boolean)
returns text
language plpgsql
stable
-- plans: index
as $function$
declare
  v_status   text;
  v_ended_by bigint;
  v_settled  boolean := false;
begin
  select r.status::text, r.ended_by
  into v_status, v_ended_by
  from queue.workflow_run as r
  where r.run_id = _outcome_without_lease.run_id;

  if v_status = 'running' then
    v_settled := exists (
      select
      from queue.workflow_continuation as m
      where m.msg_id = _outcome_without_lease.run_id
        and m.settled_receipt = _outcome_without_lease.receipt
    );
  end if;

  return case
    when v_settled and not ends or v_ended_by = receipt then 'ok'
    when v_settled or v_status = 'cancelled' then 'cancelled'
    else 'lost'
  end;
end
$function$;

comment on function queue._outcome_without_lease(bigint, bigint, boolean) is
$comment$Returns the outcome of a commit for a worker whose receipt is dead.
ends: the commit ends the run. A settled receipt then shows that the run was cancelled with rollback before.
Returns ok if that receipt has already made the run's last transition (its answer was lost); otherwise cancelled or lost.
Touches: nothing; reads queue.workflow_run and queue.workflow_continuation.$comment$;
