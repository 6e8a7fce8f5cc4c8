create or replace function queue._revoke_message_leases(name text, lease interval, after timestamptz)
returns void
language plpgsql
volatile
as $function$
begin
  -- A message that was postponed for longer than a lease has failed at its consumer and waits for its next attempt. Only
  -- a lease that had expired keeps a receipt, with the bit that states whether its delivery counts: see
  -- _judge_redelivered(). The others are as if given back, visible since the copy, so that no timer is taken for them.
  execute format($sql$
    with leased as materialized (
      select m.msg_id
      from %1$s as m
      where m.receipt is not null
      order by m.msg_id
      for no key update
    )
    update %1$s as m
    set receipt = case when m.visible_at <= $1 then queue._message_receipt(m.msg_id, m.receipt, m.receipt & 1 = 1) end,
      visible_at = case when m.visible_at <= $1 + $2 then least($1, clock_timestamp()) else m.visible_at end,
      read_ct = greatest(m.read_ct - (m.visible_at > $1 and m.visible_at <= $1 + $2)::integer, 0)
    from leased as l
    where m.msg_id = l.msg_id
  $sql$, queue._queue_table(name))
  using after, lease;
end
$function$;

comment on function queue._revoke_message_leases(text, interval, timestamptz) is
$comment$Revokes the leases of a queue's messages: their receipts are dead, and they can be received again immediately, without a counted delivery. Messages that were postponed for longer than a lease stay postponed.
name: of the queue.
lease: the queue's visibility timeout.
after: when the copy was made.
Errors: OX001 no such queue.
Touches: the queue's table, rows with a receipt, locked in the order of message ids.$comment$;
