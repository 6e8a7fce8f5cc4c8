create or replace function queue.deliveries_receive(
  max_deliveries     integer default 1,
  visibility_timeout integer default null
)
returns setof queue.url_delivery
language plpgsql
volatile
security definer
-- plans: index, nested loop
as $function$
declare
  v_received   record;
  v_deliveries queue.url_delivery[];
  v_refused    bigint[];
  v_reasons    text[];
begin
  if to_regclass('queue.q___http') is null then
    return;
  end if;
  select r.msg_ids, r.receipts, r.read_cts, r.enqueued_ats, r.messages, r.headers
  into v_received
  from queue._receive(queue._internal_queue('__http'), max_deliveries, visibility_timeout, null, 0) as r;
  if cardinality(v_received.msg_ids) = 0 then
    return;
  end if;

  select
    array_agg(
      row(
        d.msg_id, d.receipt, d.read_ct, d.enqueued_at, d.subscription_id, d.target, d.headers ->> 'topic',
        queue._webhook_id(d.headers, d.enqueued_at, d.msg_id), coalesce(d.options ->> 'format', 'plain'),
        (d.options -> 'concurrency')::integer, d.message,
        d.headers - array['subscription_id', 'url', 'topic', 'webhook_id']
      )::queue.url_delivery
      order by d.position
    ) filter (where d.problem is null),
    array_agg(d.receipt) filter (where d.problem is not null),
    array_agg(d.problem) filter (where d.problem is not null)
  into v_deliveries, v_refused, v_reasons
  from (
    select i.*, s.subscription_id, s.target, s.options,
      case
        when s.subscription_id is null then 'the subscription does not exist'
        when s.target_type <> 'http' or s.target is distinct from i.headers ->> 'url' then
          'the subscription has another url'
        when queue._topic_matches(s.pattern, i.headers ->> 'topic') is not true
          or (s.filter is not null and not i.message @> s.filter) then
          'the subscription does not match the message'
        when s.disabled_at is not null then format('the subscription is disabled: %s', s.disabled_reason)
      end as problem
    from unnest(
      v_received.msg_ids, v_received.receipts, v_received.read_cts, v_received.enqueued_ats, v_received.messages,
      v_received.headers
    ) with ordinality as i (msg_id, receipt, read_ct, enqueued_at, message, headers, position)
    left join queue.subscription as s
      on s.subscription_id = case
        when i.headers ->> 'subscription_id' ~ '^[0-9]{1,18}$' then (i.headers ->> 'subscription_id')::bigint
      end
  ) as d;

  if v_refused is not null then
    perform queue._abandon_deliveries(v_refused, v_reasons);
  end if;
  return query
    select d.msg_id, d.receipt, d.read_ct, d.enqueued_at, d.subscription_id, d.url, d.topic, d.webhook_id, d.format,
      d.concurrency, d.message, d.headers
    from unnest(v_deliveries) as d;
end
$function$;

comment on function queue.deliveries_receive(integer, integer) is
$comment$For servers: receives messages that topics have queued for urls. Each is checked against the row of its subscription: the subscription must exist, be enabled, have the url for which the message was queued, and match topic and message. A message that fails the check becomes a dead letter with the reason, and is not returned.
max_deliveries: 1 to 10000. visibility_timeout: seconds; null means 30.
Returns a row for each delivery, oldest first. Each is settled by deliveries_succeeded(), delivery_retry(), delivery_abandon() or deliveries_give_back().
Errors: OX004 invalid argument, or a transaction that is not read committed.
Touches: as receive_fifo(), queue __http; reads queue.subscription; the table of queue __topic_dead_letters for messages that fail the check.$comment$;
