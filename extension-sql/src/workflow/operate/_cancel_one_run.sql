create or replace function queue._cancel_one_run(run_id bigint, reason text, rollback boolean)
returns boolean
language plpgsql
volatile
as $function$
declare
  v_name   text;
  v_status text;
begin
  select r.workflow_name, r.status::text into v_name, v_status
  from queue.workflow_run as r
  where r.run_id = _cancel_one_run.run_id;
  if not found then
    if queue._send_cancel(run_id, reason, rollback) then
      return true;
    end if;
    if exists (select from queue.workflow_run as r where r.run_id = _cancel_one_run.run_id) then
      -- It has come back from another shard between the two looks.
      return queue._cancel_one_run(run_id, reason, rollback);
    end if;
    perform queue._raise_run_not_found(run_id);
  end if;
  if v_status <> 'running' then
    return false;
  end if;

  -- A cancellation also changes the parent and the invoked runs.
  perform queue._lock_related_runs(array[run_id]);

  if queue._cancel_run(v_name, run_id, reason, rollback) then
    return true;
  end if;
  -- It has ended, or moved to another shard and perhaps back, while this waited; or its rollback has begun.
  if queue._moved_to(run_id) is not null then
    return queue._send_cancel(run_id, reason, rollback);
  end if;
  if exists (
    select from queue.workflow_continuation as m
    where m.msg_id = _cancel_one_run.run_id
      and not (coalesce(m.headers ? 'cancelled', false) and coalesce(_cancel_one_run.rollback, false))
  ) then
    return queue._cancel_one_run(run_id, reason, rollback);
  end if;
  return false;
end
$function$;

comment on function queue._cancel_one_run(bigint, text, boolean) is
$comment$Cancels a run, for workflow_cancel(), for changes of many runs, and for starts that take over an idempotency key.
Returns as workflow_cancel().
Errors: OX005 no such run.
Touches: as workflow_cancel(), without queue.audit.$comment$;
