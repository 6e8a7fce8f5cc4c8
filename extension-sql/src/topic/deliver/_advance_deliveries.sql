create or replace function queue._advance_deliveries(delivery_ids bigint[])
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index, nested loop
as $function$
declare
  v_receipts bigint[];
begin
  -- A message that was received since its last outcome was written is being sent.
  execute format($sql$
    select array_agg(m.receipt)
    from queue.logged_delivery as l
    join %1$s as m
      on m.msg_id = l.delivery_id
      and m.read_ct = l.attempts
    where l.delivery_id = any ($1)
      and l.status = 'waiting'
      and m.message is not null
      and m.receipt is not null
      and m.visible_at < 'infinity'
  $sql$, queue._queue_table('__http'))
  into v_receipts
  using delivery_ids;
  if v_receipts is null then
    return v_receipts;
  end if;
  return array(
    select queue._receipt_msg_id(c.receipt)
    from unnest(queue._change_visibility(queue._internal_queue('__http'), v_receipts, 0, false)) as c (receipt)
  );
end
$function$;

comment on function queue._advance_deliveries(bigint[]) is
$comment$Makes deliveries due that wait for another attempt.
delivery_ids: those of which an attempt is being made are skipped.
Returns the ids of those that are due now; null if there are none.
Touches: as change_visibility_batch(), queue __http; reads queue.logged_delivery.$comment$;
