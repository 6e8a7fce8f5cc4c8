create or replace function queue.change_visibility_batch(
  queue              text,
  receipts           bigint[],
  visibility_timeout numeric,
  heartbeat          boolean default false,
  in_flight_only     boolean default false
)
returns setof bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_queue    constant queue.queue_settings := queue._find_queue(change_visibility_batch.queue, null, 'receive');
  v_receipts bigint[] := change_visibility_batch.receipts;
begin
  if in_flight_only then
    v_receipts := queue._lock_in_flight(v_queue, v_receipts);
  end if;
  return query
    select c.receipt
    from unnest(queue._change_visibility(
      v_queue, v_receipts, change_visibility_batch.visibility_timeout, change_visibility_batch.heartbeat
    )) as c (receipt);
end
$function$;

comment on function queue.change_visibility_batch(text, bigint[], numeric, boolean, boolean) is
$comment$Sets when received messages become visible again, all at the same time.
receipts: as returned by receive() or receive_fifo(); dead ones are skipped.
visibility_timeout: seconds from now, with fractions; 0 gives the messages back immediately.
heartbeat: true if the consumer is still handling the messages. If they become visible again, it has died, and their deliveries count towards max_receives only as receive() describes. With false they count.
in_flight_only: true also skips receipts whose visibility timeout has ended. With false they are alive until the message is received again.
Returns the receipts that were alive, in no order.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow.
Touches: the queue's table, rows by receipt, locked in the order of message ids; NOTIFY only if a client listens, once for all.$comment$;
