create or replace function queue.change_visibility_batch(queue text, receipts bigint[], visibility_timeout numeric)
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
  v_queue   constant queue.queue_settings := queue._find_queue(change_visibility_batch.queue, null, 'receive');
  v_timeout constant interval := queue._duration(change_visibility_batch.visibility_timeout, 'visibility timeout');
  v_table   constant regclass := queue._queue_table(v_queue.name);
  v_places  tid[];
  v_changed bigint[];
  v_latest  timestamptz;
  v_until   timestamptz;
begin
  select h.places, h.held, h.latest
  into v_places, v_changed, v_latest
  from queue._hold_messages(v_table, change_visibility_batch.receipts) as h;

  v_until := clock_timestamp() + v_timeout;
  execute format($sql$
    update %1$s as m
    set visible_at = $2
    where m.ctid = any ($1)
  $sql$, v_table)
  using v_places, v_until;

  if v_until < v_latest then
    perform queue._wake('queue_' || v_queue.name);
  end if;
  return query select c.receipt from unnest(v_changed) as c (receipt);
end
$function$;

comment on function queue.change_visibility_batch(text, bigint[], numeric) is
$comment$Sets when received messages become visible again, all at the same time: a heartbeat for many.
receipts: as returned by receive() or receive_fifo(); a dead one (deleted already, or somebody has received the message again) is skipped. visibility_timeout: seconds from now, with fractions; 0 gives the messages back at once.
Returns the receipts that were alive, in no order.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow.
Touches: the queue's table, rows by receipt, locked in the order of message ids; NOTIFY only where somebody waits, once for all.$comment$;
