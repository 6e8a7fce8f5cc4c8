create or replace function queue._delete_messages(
  settings queue.queue_settings,
  receipts bigint[],
  retry_at timestamptz
)
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = on
as $function$
declare
  v_deleted bigint[];
begin
  if (settings).kind = 'fifo' then
    return queue._delete_heads((settings).name, receipts, retry_at);
  end if;

  execute format($sql$
    with deleted as (
      delete from %1$s as m
      using unnest($1) as i (receipt)
      where m.msg_id = queue._receipt_msg_id(i.receipt)
        and m.receipt = i.receipt
      returning m.receipt
    )
    select coalesce(array_agg(d.receipt), '{}') from deleted as d
  $sql$, queue._queue_table((settings).name))
  into v_deleted
  using receipts;
  return v_deleted;
end
$function$;

comment on function queue._delete_messages(queue.queue_settings, bigint[], timestamptz) is
$comment$Deletes messages for good.
retry_at: see _delete_heads().
Rows are found one by one, by receipt: statistics of a queue are always out of date, and every other plan reads more.
Returns the receipts that were alive.
Touches: the queue's table, rows by receipt; in a FIFO queue as _delete_heads().$comment$;
