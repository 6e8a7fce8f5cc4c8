create or replace function queue._deliver_signal(
  name         text,
  run_id       bigint,
  message      jsonb,
  wait         jsonb,
  payload      jsonb,
  delivered_at timestamptz
)
returns void
language plpgsql
volatile
as $function$
declare
  -- Counted in the journal, because commits that keep the lease don't write the count into the continuation. The replay
  -- that follows reads all of it in any case.
  v_journaled constant integer := 1 + coalesce((
    select max(s.position)
    from queue.workflow_step as s
    where s.run_id = _deliver_signal.run_id
  ), 0);
begin
  perform queue._journal_wait(run_id, v_journaled, wait, payload, delivered_at);

  -- The receipt is removed: its lease has ended, and its worker doesn't know this row of the journal. A settled
  -- receipt, even the impossible 0, shows that the run has a journal.
  update queue.workflow_continuation as m
  set message = _deliver_signal.message || jsonb_build_object(
      'journaled', v_journaled, 'waits', queue._waits_but(_deliver_signal.message -> 'waits', array[wait ->> 'step'])
    ),
    visible_at = greatest(queue._paused_until(m.headers), delivered_at),
    headers = queue._due_after_pause(m.headers, delivered_at),
    receipt = null,
    settled_receipt = coalesce(m.settled_receipt, 0)
  where m.msg_id = run_id;
  perform queue._unsubscribe_waits(array[run_id]);

  perform queue._wake(queue._worker_channel(name));
end
$function$;

comment on function queue._deliver_signal(text, bigint, jsonb, jsonb, jsonb, timestamptz) is
$comment$Journals the wait that a signal satisfies, and makes the run visible unless it is paused.
message: the run's continuation, which the caller has locked.
Touches: queue.workflow_step, queue.workflow_continuation; as _unsubscribe_waits().$comment$;
