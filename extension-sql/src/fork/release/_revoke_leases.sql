create or replace function queue._revoke_leases(after timestamptz)
returns bigint
language plpgsql
volatile
as $function$
declare
  v_killed bigint;
begin
  -- In the order of run ids, as all transactions lock runs: signals and cancellations may be concurrent.
  perform
  from queue.workflow_continuation as m
  order by m.msg_id
  for no key update;

  -- As if the leases had expired. A paused run that was set aside keeps a receipt, but no worker holds it.
  update queue.workflow_continuation as m
  set receipt = queue._new_receipt(m.msg_id, m.receipt),
    suspect_at = null,
    deaths = null,
    visible_at = clock_timestamp(),
    read_ct = greatest(m.read_ct - (m.visible_at > after)::integer, 0)
  where m.receipt is not null
    and (m.visible_at = queue._paused_until(m.headers)) is not true;
  get diagnostics v_killed = row_count;

  perform queue._revoke_message_leases(q.name, make_interval(secs => q.visibility_timeout), after)
  from (
    select o.name, o.visibility_timeout
    from queue.queue as o
    where o.kind <> 'workflow'
    order by o.name
  ) as q;

  -- Marks refer to transactions of the source, which may be far ahead of those here.
  delete from queue.ready_mark;
  delete from queue.group_mark;
  delete from queue.id_mark;
  return v_killed;
end
$function$;

comment on function queue._revoke_leases(timestamptz) is
$comment$Revokes the leases of all runs, and of messages of all queues: their receipts are dead, and they can be received again. Interrupted deliveries do not count.
after: when the copy was made; leases that had expired by then count.
Returns how many runs had a lease.
Touches: queue.workflow_continuation, all rows; as _revoke_message_leases() for each queue; queue.ready_mark, queue.group_mark, queue.id_mark.$comment$;
