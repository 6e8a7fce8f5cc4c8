create or replace function queue.workflow_resume(run_id bigint)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_name   text;
  v_status text;
begin
  perform queue._migrate_if_older();
  select r.workflow_name, r.status::text into v_name, v_status
  from queue.workflow_run as r
  where r.run_id = workflow_resume.run_id;
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
    return false;
  end if;

  update queue.workflow_run as r
  set paused_at = null,
    pause_reason = null
  where r.run_id = workflow_resume.run_id;
  perform queue._wake(queue._workflow_channel(v_name));
  return true;
end
$function$;

comment on function queue.workflow_resume(bigint) is
$comment$Resumes a paused run in the caller's transaction: at once if something came due during the pause, otherwise when it does.
Returns true if this call resumed the run; false if it was not paused.
Errors: OX005 no such run.
Touches: queue.workflow_continuation, queue.workflow_run.$comment$;
