create or replace function queue._take_old_suspects(
  settings     queue.queue_settings,
  before       timestamptz,
  max_messages bigint
)
returns bigint[]
language plpgsql
volatile
-- plans: index, no bitmap, nested loop
as $function$
declare
  v_receipts bigint[];
begin
  execute format($sql$
    with old as materialized (
      select m.msg_id
      from queue.suspect as s
      join %1$s as m on m.msg_id = s.msg_id
      where s.queue_name = $1
        and m.visible_at = 'infinity'
        and m.enqueued_at < $2
        and m.message is not null
      order by s.msg_id
      limit $3
      for no key update of m skip locked
    ),
    taken as (
      update %1$s as m
      set receipt = queue._message_receipt(m.msg_id, m.receipt, true)
      from old
      where m.msg_id = old.msg_id
      returning m.receipt
    )
    select array_agg(taken.receipt) from taken
  $sql$, queue._queue_table((settings).name))
  into v_receipts
  using (settings).name, before, max_messages;

  delete from queue.suspect as s
  where s.queue_name = (settings).name
    and s.msg_id in (select queue._receipt_msg_id(r.receipt) from unnest(v_receipts) as r (receipt));
  return v_receipts;
end
$function$;

comment on function queue._take_old_suspects(queue.queue_settings, timestamptz, bigint) is
$comment$Takes suspects that are older than the retention of their queue: see _judge_redelivered().
before: messages that were sent before this time are too old; null for no limit.
max_messages: at most this many, oldest first.
Returns receipts by which the caller deletes them; null instead of an empty array.
Touches: the queue's table (rows locked with SKIP LOCKED), queue.suspect.$comment$;
