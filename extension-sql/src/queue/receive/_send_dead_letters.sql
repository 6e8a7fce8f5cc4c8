create or replace function queue._send_dead_letters(
  settings queue.queue_settings,
  receipts bigint[],
  retry_at timestamptz
)
returns void
language plpgsql
volatile
-- plans: index, nested loop
set enable_sort = on
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_table    constant regclass := queue._queue_table((settings).name);
  v_is_fifo  constant boolean := (settings).kind = 'fifo';
  v_target   constant queue.queue_settings := queue._find_queue((settings).dead_letter_queue);
  v_letters  bigint[];
  v_groups   text[];
  v_messages jsonb[];
  v_headers  jsonb[];
begin
  if v_target.kind = 'fifo' then
    execute format($sql$
      select array_agg(m.receipt), array_agg(m.message_group_id)
      from unnest($1) as i (receipt)
      join %1$s as m
        on m.msg_id = queue._receipt_msg_id(i.receipt)
        and m.receipt = i.receipt
      where m.message is not null
    $sql$, v_table)
    into v_letters, v_groups
    using receipts;

    -- Given back under an unknown receipt, because a receive never waits for an open transaction.
    execute format($sql$
      update %1$s as m
      set receipt = queue._message_receipt(m.msg_id, m.receipt, true),
        visible_at = $3,
        read_ct = m.read_ct - 1
      from unnest($1, $2) as i (receipt, is_locked)
      where m.msg_id = queue._receipt_msg_id(i.receipt)
        and m.receipt = i.receipt
        and not i.is_locked
    $sql$, v_table)
    using v_letters, array(
      select pg_try_advisory_xact_lock(queue._group_lock_key(v_target.name, g.message_group_id))
      from unnest(v_groups) with ordinality as g (message_group_id, position)
      order by g.position
    ), retry_at;
  end if;

  execute format($sql$
    select array_agg(m.message order by m.msg_id), array_agg(%2$s order by m.msg_id),
      array_agg(
        coalesce(m.headers, '{}') || jsonb_build_object('dead_letter', jsonb_strip_nulls(jsonb_build_object(
          'queue', $2,
          'reason', 'max_receives',
          'receives', m.read_ct - 1,
          'msg_id', m.msg_id,
          'message_group_id', %2$s,
          'first_enqueued_at', m.enqueued_at,
          'dead_lettered_at', $3,
          'previous', m.headers -> 'dead_letter'
        )))
        order by m.msg_id
      )
    from unnest($1) as i (receipt)
    join %1$s as m
      on m.msg_id = queue._receipt_msg_id(i.receipt)
      and m.receipt = i.receipt
    where m.message is not null
  $sql$, v_table, case when v_is_fifo then 'm.message_group_id' else 'null::text' end)
  into v_messages, v_groups, v_headers
  using receipts, (settings).name, v_now;

  if v_messages is null then
    return;
  elsif v_target.kind = 'fifo' then
    perform queue._send_to_groups(v_target.name, v_messages, v_groups, '0', v_headers);
  else
    perform queue._send_messages(v_target.name, v_messages, '0', v_headers);
  end if;
end
$function$;

comment on function queue._send_dead_letters(queue.queue_settings, bigint[], timestamptz) is
$comment$Copies messages to their dead letter queue; the caller deletes the originals.
receipts: leases that the caller has just taken; tombstones among them are skipped.
retry_at: when to look again at messages whose group in a FIFO dead letter queue an open transaction holds; these get another receipt.
Touches: the queue's table (rows that the caller has locked), advisory locks of groups of the dead letter queue (without waiting), the dead letter queue's table.$comment$;
