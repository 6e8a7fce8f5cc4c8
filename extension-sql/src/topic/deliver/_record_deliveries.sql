create or replace function queue._record_deliveries(
  status     text,
  receipts   bigint[],
  failures   text[],
  reports    jsonb[],
  letter_ids bigint[] default null
)
returns void
language plpgsql
volatile
-- plans: index, nested loop
as $function$
declare
  v_table constant regclass := queue._queue_table('__http');
begin
  -- Without reports, only deliveries that are already in the log change there.
  if reports is null and not exists (
    select
    from queue.logged_delivery as l
    where l.delivery_id = any (array(select queue._receipt_msg_id(i.receipt) from unnest(receipts) as i (receipt)))
  ) then
    return;
  end if;
  -- Before the log is written, whose rows are locked after those of messages everywhere: a receipt that is alive remains so.
  perform queue._lock_messages(v_table, receipts);
  execute format($sql$
    insert into queue.logged_delivery as l (
      delivery_id, subscription_id, published_at, attempted_at, receipt, letter_id, attempts, duration_ms, status_code,
      status, failure, response, headers, message
    )
    select distinct on (m.msg_id) m.msg_id, (m.headers ->> 'subscription_id')::bigint, m.enqueued_at, clock_timestamp(),
      m.receipt, i.letter_id, m.read_ct,
      case when i.report ->> 'duration_ms' ~ '^[0-9]{1,9}$' then (i.report ->> 'duration_ms')::integer end,
      case when i.report ->> 'status_code' ~ '^[1-9][0-9]{2}$' then (i.report ->> 'status_code')::integer end,
      $1, left(i.failure, 1000), left(i.report ->> 'response', 500), m.headers - array['subscription_id', 'url'],
      -- The log would otherwise have no bound: a message goes to any number of urls.
      case when $1 <> 'waiting' and queue._json_size(m.message) <= 65536 then m.message end
    from unnest($2, $3, $4, $5) as i (receipt, failure, report, letter_id)
    join %1$s as m
      on m.msg_id = queue._receipt_msg_id(i.receipt)
      and m.receipt = i.receipt
    where m.headers ->> 'subscription_id' ~ '^[0-9]{1,18}$'
      and (
        i.report is not null
        or exists (select from queue.logged_delivery as known where known.delivery_id = m.msg_id)
      )
    order by m.msg_id
    on conflict (delivery_id) do update
    set attempted_at = excluded.attempted_at,
      receipt = excluded.receipt,
      letter_id = excluded.letter_id,
      -- A repeated call, whose first answer was lost, has the same receipt. The count of the queue does not always grow: a
      -- copy that goes live takes the leases that came with it back.
      attempts = case
        when l.receipt = excluded.receipt then l.attempts
        else greatest(l.attempts + 1, excluded.attempts)
      end,
      duration_ms = excluded.duration_ms,
      status_code = excluded.status_code,
      status = excluded.status,
      failure = excluded.failure,
      response = excluded.response,
      message = excluded.message,
      earlier_attempts = case
        when l.receipt = excluded.receipt then l.earlier_attempts
        else
          case
            when jsonb_array_length(l.earlier_attempts) >= 20 then l.earlier_attempts - 0
            else coalesce(l.earlier_attempts, '[]')
          end || jsonb_build_object(
            'attempt', l.attempts, 'attempted_at', l.attempted_at, 'duration_ms', l.duration_ms,
            'status_code', l.status_code, 'failure', l.failure, 'response', l.response
          )
      end
  $sql$, v_table)
  using _record_deliveries.status, _record_deliveries.receipts, failures, reports, letter_ids;
end
$function$;

comment on function queue._record_deliveries(text, bigint[], text[], jsonb[], bigint[]) is
$comment$Writes the outcome of attempts into the log of deliveries, in the transaction that settles them, while their messages are still in queue __http. With the last attempt, it takes messages of at most 64 KiB over.
status: waiting, delivered or failed.
receipts: as returned by deliveries_receive(); dead ones are skipped.
failures: why each attempt failed; null if it succeeded.
reports: of each attempt, an object with status_code, duration_ms and response; null logs only deliveries that are in the log already, and a null array is an array of nulls.
letter_ids: the dead letter of each, or null.
Touches: as _lock_messages(), queue __http; then queue.logged_delivery.$comment$;
