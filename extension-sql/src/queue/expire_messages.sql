create or replace function queue.expire_messages(queue text, max_messages integer default 1000)
returns bigint
language plpgsql
volatile
security definer
-- plans: index, no bitmap, no sort
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_queue    constant queue.queue_settings := queue._find_queue(expire_messages.queue);
  v_before   constant timestamptz := v_now - make_interval(secs => v_queue.retention_seconds);
  v_receipts bigint[];
  v_expired  bigint := 0::bigint;
begin
  perform queue._check_count(expire_messages.max_messages, 'max_messages', 10000, 'Expire between 1 and 10000 messages at a time.');

  -- In a FIFO queue, each round takes the heads, so suspects, which are heads, come first. Without a retention, no
  -- message is older.
  if v_queue.suspected_at is not null then
    v_receipts := queue._take_old_suspects(v_queue, v_before, expire_messages.max_messages);
  end if;
  loop
    if v_receipts is null then
      execute format($sql$
        with old as materialized (
          select m.msg_id
          from (
            select ready.msg_id
            from %1$s as ready
            where %2$s
              and ready.visible_at <= $2
            order by ready.visible_at, ready.msg_id
            limit $3
          ) as oldest
          join %1$s as m on m.msg_id = oldest.msg_id
          where m.enqueued_at < $1
            and m.message is not null
            and m.visible_at <= $2
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
      $sql$, queue._queue_table(v_queue.name), case v_queue.kind when 'fifo' then 'ready.head' else 'true' end)
      into v_receipts
      using v_before, clock_timestamp(), expire_messages.max_messages - v_expired;
      exit when v_receipts is null;
    end if;

    v_expired := v_expired + cardinality(
      queue._delete_messages(v_queue, v_receipts, clock_timestamp() + interval '1 second')
    );
    exit when v_expired >= expire_messages.max_messages;
    v_receipts := null;
  end loop;
  return v_expired;
end
$function$;

comment on function queue.expire_messages(text, integer) is
$comment$Drops messages that were not received within the retention of their queue. A receive() also drops expired messages that it finds, so this is for queues that are not received from for a long time: call it regularly until it returns 0.
max_messages: at most this many, 1 to 10000, suspects first, then the longest ready.
Returns how many messages were dropped; 0 if the queue has no retention.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow.
Touches: the queue's table (SKIP LOCKED), queue.suspect; then as delete_batch().$comment$;
