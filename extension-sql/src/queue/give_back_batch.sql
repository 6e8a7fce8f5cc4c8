create or replace function queue.give_back_batch(queue text, receipts bigint[], delay_seconds numeric default 0)
returns setof bigint
language plpgsql
volatile
security definer
as $function$
begin
  return query
    select g.receipt
    from unnest(queue._give_back(
      queue._find_queue(give_back_batch.queue, null, 'receive'), give_back_batch.receipts, give_back_batch.delay_seconds
    )) as g (receipt);
end
$function$;

comment on function queue.give_back_batch(text, bigint[], numeric) is
$comment$Gives received messages back as if they had not been received: the delivery does not count towards max_receives, and its receipt is dead. Use it for messages that the consumer has not begun to handle; after a failed attempt, use change_visibility(), which counts.
receipts: as returned by receive() or receive_fifo(); dead ones are skipped.
delay_seconds: how long until the messages are visible again, with fractions. In a FIFO queue they keep their place, and the rest of their group waits behind them.
Returns the receipts that were alive, in no order.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow.
Touches: the queue's table, rows by receipt, locked in the order of message ids; NOTIFY only if a consumer listens, once for all.$comment$;
