create or replace function queue._resume_run(run_id bigint)
returns boolean
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_name   text;
  v_status text;
begin
  select r.workflow_name, r.status::text into v_name, v_status
  from queue.workflow_run as r
  where r.run_id = _resume_run.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  if v_status <> 'running' then
    return false;
  end if;

  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  -- A worker that is still executing the run keeps its lease.
  update queue.workflow_continuation as m
  set headers = nullif(m.headers - 'paused', '{}'),
    visible_at = case
      when m.receipt is null or m.visible_at = queue._paused_until(m.headers) then
        greatest((m.headers #>> '{paused,due}')::timestamptz, clock_timestamp())
      else m.visible_at
    end
  where m.msg_id = run_id
    and m.headers ? 'paused';
  if not found then
    perform queue._raise_if_moved(run_id);
    return false;
  end if;

  update queue.workflow_run as r
  set paused_at = null,
    pause_reason = null
  where r.run_id = _resume_run.run_id;
  perform queue._wake(queue._worker_channel(v_name));
  return true;
end
$function$;

comment on function queue._resume_run(bigint) is
$comment$Resumes a paused run, for workflow_resume() and for changes of many runs.
Returns as workflow_resume().
Errors: OX005 no such run.
Touches: as workflow_resume(), without queue.audit.$comment$;
