create or replace function queue.change_visibility_batch(queue text, receipts bigint[], visibility_timeout numeric)
returns setof bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
    select c.receipt
    from unnest(queue._change_visibility(
      queue._find_queue(change_visibility_batch.queue, null, 'receive'), change_visibility_batch.receipts,
      change_visibility_batch.visibility_timeout
    )) as c (receipt);
end
$function$;

comment on function queue.change_visibility_batch(text, bigint[], numeric) is
$comment$Sets when received messages become visible again, all at the same time: a heartbeat for many.
receipts: as returned by receive() or receive_fifo(); a dead one (deleted already, or somebody has received the message again) is skipped. visibility_timeout: seconds from now, with fractions; 0 gives the messages back at once.
Returns the receipts that were alive, in no order.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow.
Touches: the queue's table, rows by receipt, locked in the order of message ids; NOTIFY only where somebody waits, once for all.$comment$;
