create or replace function queue._publish_to_url(
  url              text,
  message          jsonb,
  headers          jsonb,
  subscription_ids bigint[],
  groups           text[],
  options          jsonb[]
)
returns void
language plpgsql
volatile
as $function$
begin
  if (select i.state from queue.own_incarnation as i) = 'sandbox' then
    insert into queue.captured_delivery (captured_at, subscription_id, url, message, headers)
    select clock_timestamp(), i.subscription_id, _publish_to_url.url, _publish_to_url.message,
      _publish_to_url.headers || jsonb_build_object('subscription_id', i.subscription_id, 'url', url)
    from unnest(subscription_ids) as i (subscription_id)
    order by i.subscription_id;
    return;
  end if;
  perform queue._send_fifo(
    '__http',
    array_agg(_publish_to_url.message order by i.subscription_id),
    array_agg(
      case
        when i.options -> 'ordered' = 'true' then i.subscription_id::text
        when i.message_group_id is null then gen_random_uuid()::text
        else i.subscription_id || ':' || i.message_group_id
      end
      order by i.subscription_id
    ),
    '0',
    array_agg(
      _publish_to_url.headers || jsonb_build_object('subscription_id', i.subscription_id, 'url', url)
      order by i.subscription_id
    )
  )
  from unnest(subscription_ids, groups, options) as i (subscription_id, message_group_id, options);
end
$function$;

comment on function queue._publish_to_url(text, jsonb, jsonb, bigint[], text[], jsonb[]) is
$comment$Queues http deliveries, one per subscription; in a sandbox, captures them instead. Each is a separate message group, so a failing delivery blocks no other one, unless the subscription is ordered or has groups. The server takes all other options from the subscription: see deliveries_receive().
groups, options: one element per subscription; a null group means no order, unless the options contain ordered.
Touches: as _send_fifo(), queue __http; in a sandbox, queue.captured_delivery.$comment$;
