create or replace function queue.deliveries_succeeded(
  subscription_ids bigint[],
  receipts         bigint[],
  reports          jsonb[] default null
)
returns setof bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_queue constant queue.queue_settings := queue._internal_queue('__http');
begin
  with failing as materialized (
    select s.subscription_id
    from queue.subscription as s
    where s.subscription_id = any (subscription_ids)
      and s.failing_since is not null
      and s.disabled_at is null
    order by s.subscription_id
    for no key update
  )
  update queue.subscription as s
  set failing_since = null
  from failing
  where s.subscription_id = failing.subscription_id
    and s.disabled_at is null;
  perform queue._record_deliveries('delivered', receipts, null, reports);
  return query
    select d.receipt
    from unnest(queue._delete_messages(v_queue, receipts, clock_timestamp())) as d (receipt);
end
$function$;

comment on function queue.deliveries_succeeded(bigint[], bigint[], jsonb[]) is
$comment$For servers: deletes deliveries that their urls have accepted, and records that the subscriptions work.
receipts: as returned by deliveries_receive(). Deliveries whose receipt is dead are delivered again.
reports: for the log of deliveries, an object per receipt with any of status_code, duration_ms and response, of which 500 characters are kept; null logs nothing, unless earlier attempts are logged.
Returns the receipts that were alive, in no order.
Errors: OX001 no url has been subscribed yet.
Touches: queue.subscription, rows that were failing, in the order of their ids; the table of queue __http, rows by receipt, locked in the order of message ids; queue.logged_delivery; as delete_batch(), queue __http.$comment$;
