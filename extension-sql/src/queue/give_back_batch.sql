create or replace function queue.give_back_batch(queue text, receipts bigint[], delay_seconds numeric default 0)
returns setof bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_queue  constant queue.queue_settings := queue._find_queue(give_back_batch.queue, null, 'receive');
  v_delay  constant interval := queue._duration(give_back_batch.delay_seconds, 'delay');
  v_table  constant regclass := queue._queue_table(v_queue.name);
  v_places tid[];
  v_given  bigint[];
  v_latest timestamptz;
  v_until  timestamptz;
begin
  select h.places, h.held, h.latest
  into v_places, v_given, v_latest
  from queue._hold_messages(v_table, give_back_batch.receipts) as h;

  v_until := clock_timestamp() + v_delay;
  execute format($sql$
    update %1$s as m
    set receipt = null,
      visible_at = $2,
      read_ct = m.read_ct - 1
    where m.ctid = any ($1)
  $sql$, v_table)
  using v_places, v_until;

  if v_until < v_latest then
    perform queue._wake('queue_' || v_queue.name);
  end if;
  return query select g.receipt from unnest(v_given) as g (receipt);
end
$function$;

comment on function queue.give_back_batch(text, bigint[], numeric) is
$comment$Gives received messages back as if they had not been received: this delivery doesn't count towards max_receives, and its receipt is dead. For whoever has received more than it can begin with; what was tried and failed is given back by change_visibility(), and counts.
receipts: as returned by receive() or receive_fifo(); a dead one is skipped. delay_seconds: from now until the messages are visible again, with fractions. In a FIFO queue they keep their place, and the rest of their group waits behind them.
Returns the receipts that were alive, in no order.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow.
Touches: the queue's table, rows by receipt, locked in the order of message ids; NOTIFY only where somebody waits, once for all.$comment$;
