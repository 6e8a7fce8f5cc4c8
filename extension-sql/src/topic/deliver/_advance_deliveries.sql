create or replace function queue._advance_deliveries(delivery_ids bigint[])
returns bigint[]
language plpgsql
volatile
-- plans: index, nested loop
as $function$
declare
  v_table constant regclass := queue._queue_table('__http');
  v_ids   bigint[];
begin
  -- A separate statement, as in _lock_messages(): afterwards, neither the log nor the queue changes for these messages. The
  -- others, which were never attempted, may be successors in a group that their receipts lock.
  execute format($sql$
    select m.msg_id
    from %1$s as m
    inner join queue.logged_delivery as l on l.delivery_id = m.msg_id
    where m.msg_id = any ($1)
      and l.status = 'waiting'
    order by m.msg_id
    for no key update of m
  $sql$, v_table)
  using delivery_ids;

  -- The receipt shows that a message is being sent: it was received since its last outcome was written. One that was
  -- given back, or whose lease was revoked in a copy, has no receipt.
  execute format($sql$
    with due as (
      update %1$s as m
      set visible_at = least(m.visible_at, $2)
      from queue.logged_delivery as l
      where m.msg_id = any ($1)
        and l.delivery_id = m.msg_id
        and l.status = 'waiting'
        and m.message is not null
        and (m.receipt is null or m.receipt = l.receipt or m.visible_at <= $2)
        and m.visible_at < 'infinity'
      returning m.msg_id
    )
    select array_agg(due.msg_id) from due
  $sql$, v_table)
  into v_ids
  using delivery_ids, clock_timestamp();

  if v_ids is not null then
    perform queue._wake('queue___http');
  end if;
  return v_ids;
end
$function$;

comment on function queue._advance_deliveries(bigint[]) is
$comment$Makes deliveries due that wait for another attempt, those included that were given back.
delivery_ids: those of which an attempt is being made are skipped.
Returns the ids of the deliveries that are due now; null instead of an empty array.
Touches: the table of queue __http, rows by id, locked in their order (waits); reads queue.logged_delivery; NOTIFY only if a server listens.$comment$;
