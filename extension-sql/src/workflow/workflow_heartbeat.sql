create or replace function queue.workflow_heartbeat(
  receipts      bigint[],
  lease_seconds numeric default 30,
  known         jsonb[] default null,
  report_busy   boolean default false
)
returns setof queue.workflow_lease_notice
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_lease_end constant timestamptz := clock_timestamp()
    + case when lease_seconds is not null then queue._lease_interval(lease_seconds) end;
  v_leases    queue.extended_leases;
begin
  perform queue._migrate_if_older();
  if receipts is null then
    perform queue._raise('OX004', 'receipts are null', null, 'To extend no lease, pass an empty array.');
  end if;
  v_leases := queue._extend_leases(receipts, v_lease_end, known);
  if cardinality(v_leases.held) < cardinality(receipts) then
    perform queue._uncount_deaths(receipts);
  end if;

  return query
    select queue._receipt_msg_id(i.receipt), i.receipt,
      case
        when i.receipt = any (v_leases.cancelling) then 'cancelling'
        when i.receipt = any (v_leases.paused) then 'paused'
        when i.receipt = any (v_leases.signalled) then 'signalled'
        when r.status = 'cancelled' then 'cancelled'
        else 'lost'
      end
    from unnest(receipts) as i (receipt)
    left join queue.workflow_run as r on r.run_id = queue._receipt_msg_id(i.receipt)
    where i.receipt = any (v_leases.signalled)
      or i.receipt = any (v_leases.paused)
      or i.receipt = any (v_leases.cancelling)
      or not i.receipt = any (v_leases.held);

  if report_busy then
    return query
      select queue._receipt_msg_id(b.receipt), b.receipt, 'busy'
      from unnest(v_leases.busy) as b (receipt);
  end if;
end
$function$;

comment on function queue.workflow_heartbeat(bigint[], numeric, jsonb[], boolean) is
$comment$Extends the leases of many runs in one statement, and returns the leases that need attention. It never waits for another transaction.
receipts: as returned by workflow_receive().
lease_seconds: length of the lease from now; null extends nothing.
known: as in workflow_commit(), one element per receipt. A lease ends if the known fact is missing.
report_busy: also return leases that were not extended because another transaction has locked the run. Extend them again soon.
Returns one row per lease that needs attention. lost: another worker has received the run, or it has ended. cancelled: the run was cancelled. signalled: a buffered signal matches one of its waits, or a run that it invoked has ended; the next commit takes it. paused: finish and journal the current calls, start no new ones, and release the run. cancelling: the same, for a run that was cancelled with rollback after its delivery. busy: see report_busy.
Errors: OX004 invalid argument.
Touches: queue.workflow_continuation (SKIP LOCKED); reads queue.workflow_run, queue.workflow_step, queue.workflow_stream_chunk and queue.workflow_buffered_signal.$comment$;
