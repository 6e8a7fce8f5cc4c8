create or replace function queue._abandon_deliveries(receipts bigint[], reasons text[], reports jsonb[] default null)
returns bigint[]
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_queue    constant queue.queue_settings := queue._internal_queue('__http');
  v_table    constant regclass := queue._queue_table(v_queue.name);
  v_held     constant bigint[] := (select h.held from queue._lock_messages(v_table, _abandon_deliveries.receipts) as h);
  v_receipts bigint[];
  v_reasons  text[];
  v_reports  jsonb[];
  v_messages jsonb[];
  v_headers  jsonb[];
  v_letters  bigint[];
begin
  if v_held is null then
    return v_held;
  end if;
  execute format($sql$
    select array_agg(i.receipt order by m.msg_id), array_agg(i.reason order by m.msg_id),
      array_agg(i.report order by m.msg_id), array_agg(m.message order by m.msg_id),
      array_agg(
        m.headers - array['subscription_id', 'url']
          || jsonb_build_object(
            'webhook_id', queue._webhook_id(m.headers, m.enqueued_at, m.msg_id),
            'dead_letter', jsonb_strip_nulls(jsonb_build_object(
              'topic', m.headers -> 'topic',
              'subscription_id', case
                when m.headers ->> 'subscription_id' ~ '^[0-9]{1,18}$' then (m.headers ->> 'subscription_id')::bigint
              end,
              'target_type', 'http',
              'target', m.headers -> 'url',
              'reason', left(i.reason, 1000),
              'attempts', m.read_ct,
              'msg_id', m.msg_id,
              'dead_lettered_at', $3
            ))
          )
        order by m.msg_id
      )
    from unnest($1, $2, $5) as i (receipt, reason, report)
    join %1$s as m
      on m.msg_id = queue._receipt_msg_id(i.receipt)
      and m.receipt = i.receipt
    where m.receipt = any ($4)
  $sql$, v_table)
  into v_receipts, v_reasons, v_reports, v_messages, v_headers
  using _abandon_deliveries.receipts, _abandon_deliveries.reasons, v_now, v_held, _abandon_deliveries.reports;

  v_letters := queue._send_messages('__topic_dead_letters', v_messages, '0', v_headers);
  perform queue._record_deliveries('failed', v_receipts, v_reasons, v_reports, v_letters);
  return queue._delete_messages(v_queue, v_held, v_now + interval '1 second');
end
$function$;

comment on function queue._abandon_deliveries(bigint[], text[], jsonb[]) is
$comment$Moves deliveries from queue __http to the dead letters of topics.
receipts: as returned by deliveries_receive(); dead ones are skipped.
reasons: one per receipt.
reports: for the log of deliveries, one per receipt: see _record_deliveries().
Returns the receipts that were alive; null instead of an empty array.
Touches: the table of queue __http, rows by receipt, locked in the order of message ids; as _delete_messages(); the table of queue __topic_dead_letters; queue.logged_delivery.$comment$;
