create or replace function queue._begin_rollback(name text, run_id bigint, reason text)
returns void
language plpgsql
volatile
as $function$
begin
  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  -- The run continues even if it is paused or past its deadline. A worker that is executing it keeps its lease. Nothing
  -- ends its waits any more: the end of a child run that is cancelled with it would be journaled, and fail a retry. A
  -- settled receipt, even the impossible 0, shows that the run has a journal.
  update queue.workflow_continuation as m
  set headers = (coalesce(m.headers, '{}') - 'paused') || jsonb_build_object('cancelled',
      jsonb_strip_nulls(jsonb_build_object('reason', reason, 'receipt', m.receipt))),
    message = case when m.message ? 'waits' then m.message || '{"waits": []}' else m.message end,
    visible_at = case
      when m.receipt is null then clock_timestamp()
      when m.headers ? 'paused' then least(m.visible_at, clock_timestamp() + interval '30 seconds')
      else m.visible_at
    end,
    settled_receipt = coalesce(m.settled_receipt, 0)
  where m.msg_id = _begin_rollback.run_id;

  perform queue._unsubscribe_waits(array[run_id]);
  perform queue._end_approvals(array[run_id], clock_timestamp());
  update queue.workflow_run as r
  set deadline = null,
    paused_at = null,
    pause_reason = null
  where r.run_id = _begin_rollback.run_id
    and (r.deadline is not null or r.paused_at is not null);
  perform queue._wake(queue._worker_channel(name));
end
$function$;

comment on function queue._begin_rollback(text, bigint, text) is
$comment$Makes a run, whose continuation the caller has locked, continue only to roll back.
reason: of the cancellation.
Touches: queue.workflow_continuation, queue.workflow_run, queue.approval; as _unsubscribe_waits().$comment$;
