create or replace function queue._lock_in_flight(settings queue.queue_settings, receipts bigint[])
returns bigint[]
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_receipts bigint[];
begin
  -- The clock is read once the row is locked, which may have been waited for.
  execute format($sql$
    with locked as materialized (
      select m.receipt, m.visible_at
      from %1$s as m
      where m.msg_id = any (array(select queue._receipt_msg_id(i.receipt) from unnest($1) as i (receipt)))
        and (m.receipt in (select i.receipt from unnest($1) as i (receipt))) is true
      order by m.msg_id
      for update of m
    )
    select array_agg(l.receipt)
    from locked as l
    where l.visible_at > clock_timestamp()
      and l.visible_at < 'infinity'
  $sql$, queue._queue_table((settings).name))
  into v_receipts
  using receipts;
  return v_receipts;
end
$function$;

comment on function queue._lock_in_flight(queue.queue_settings, bigint[]) is
$comment$Locks messages and returns the receipts that are alive and whose visibility timeout has not ended, in no order; null instead of an empty array.
Touches: the queue's table, rows by receipt, locked in the order of message ids (waits).$comment$;
