create or replace function queue._publish_to_url(
  url              text,
  message          jsonb,
  headers          jsonb,
  subscription_ids bigint[],
  groups           text[]
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._send_fifo(
    '__http',
    array_agg(_publish_to_url.message order by i.subscription_id),
    array_agg(
      case
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
  from unnest(subscription_ids, groups) as i (subscription_id, message_group_id);
end
$function$;

comment on function queue._publish_to_url(text, jsonb, jsonb, bigint[], text[]) is
$comment$Queues http deliveries, one for each subscription. Each is a message group of its own, so that one that fails holds up no other, unless the subscription has groups.
groups: one element a subscription; null for no order.
Touches: as _send_fifo(), queue __http.$comment$;
