create or replace function queue._lock_messages(
  queue_table regclass,
  receipts    bigint[],
  out places tid[],
  out held   bigint[],
  out latest timestamptz
)
language plpgsql
volatile
-- plans: index, nested loop
as $function$
begin
  execute format($sql$
    select array_agg(held.ctid), array_agg(held.receipt), max(held.visible_at)
    from (
      select m.ctid, m.receipt, m.visible_at
      from %1$s as m
      where m.msg_id = any (array(select queue._receipt_msg_id(i.receipt) from unnest($1) as i (receipt)))
        and (m.receipt in (select i.receipt from unnest($1) as i (receipt))) is true
        and m.message is not null
      order by m.msg_id
      for no key update of m
    ) as held
  $sql$, queue_table)
  into places, held, latest
  using receipts;
end
$function$;

comment on function queue._lock_messages(regclass, bigint[]) is
$comment$Locks messages in flight until the caller's transaction ends, for a statement that changes them. Locking is a separate statement, because a row that had to be waited for is newer than the snapshot of the statement that waited.
receipts: dead ones are skipped.
Returns the places of the messages, valid for the next statement only; the receipts that were alive, in the same order; and when the last of them becomes visible. All null if no receipt was alive.
Touches: the queue's table, rows by receipt, locked in the order of message ids (waits).$comment$;
