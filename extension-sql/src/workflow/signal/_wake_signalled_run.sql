create or replace function queue._wake_signalled_run(name text, run_id bigint, is_leased boolean, signalled_at timestamptz)
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  if is_leased then
    perform queue._notify_worker(name, run_id);
    return;
  end if;
  update queue.workflow_continuation as m
  set visible_at = greatest(queue._paused_until(m.headers), signalled_at),
    headers = queue._due_after_pause(m.headers, signalled_at)
  where m.msg_id = _wake_signalled_run.run_id
    and m.visible_at > signalled_at
    -- A suspect is received at a time of its own.
    and m.suspect_at is null;
  if found then
    perform queue._wake(queue._worker_channel(name));
  end if;
end
$function$;

comment on function queue._wake_signalled_run(text, bigint, boolean, timestamptz) is
$comment$Lets a run take a signal that was buffered for one of its waits: notifies its worker, or makes a run visible that isn't leased, unless it is paused. Most are visible already. One that a worker has given back until later isn't, nor one that a repeatable read transaction has suspended, which could not see the signals.
name: of the workflow.
run_id: of a run whose continuation the caller has locked.
Touches: as _notify_worker(), or queue.workflow_continuation and as _wake().$comment$;
