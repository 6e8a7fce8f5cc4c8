create or replace function queue.delete_batch(queue text, receipts bigint[], in_flight_only boolean default false)
returns setof bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_queue    constant queue.queue_settings := queue._find_queue(delete_batch.queue, null, 'receive');
  v_receipts bigint[] := delete_batch.receipts;
begin
  if in_flight_only then
    v_receipts := queue._lock_in_flight(v_queue, v_receipts);
  end if;
  return query
    select d.receipt
    from unnest(queue._delete_messages(v_queue, v_receipts, v_now)) as d (receipt);
end
$function$;

comment on function queue.delete_batch(text, bigint[], boolean) is
$comment$Acknowledges deliveries: the messages are deleted and never delivered again. In a FIFO queue, the next message of each group becomes receivable.
receipts: as returned by receive() or receive_fifo(); dead ones are skipped.
in_flight_only: true also skips receipts whose visibility timeout has ended. With false they are alive until the message is received again.
Returns the receipts that were alive, in no order.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow or to Oxbow.
Touches: the queue's table, rows by receipt; in a FIFO queue advisory locks of the groups until the transaction ends (without waiting).$comment$;
