create or replace function queue.delivery_failed(subscription_id bigint, reason text, disable_after interval default null)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_topic    constant text := 'oxbow.subscription.disabled';
  v_message  jsonb;
  v_disabled record;
begin
  perform queue._ensure_migrated();
  -- Only the first failure after a success is recorded, so a failing target costs no writes.
  update queue.subscription as s
  set failing_since = v_now
  where s.subscription_id = delivery_failed.subscription_id
    and s.failing_since is null;

  update queue.subscription as s
  set disabled_at = v_now, disabled_reason = left(coalesce(delivery_failed.reason, 'unknown'), 1000)
  where s.subscription_id = delivery_failed.subscription_id
    and s.disabled_at is null
    and s.failing_since <= v_now - delivery_failed.disable_after
  returning s.pattern, s.target, s.failing_since, s.disabled_at, s.disabled_reason
  into v_disabled;
  if found then
    v_message := jsonb_build_object(
      'subscription_id', delivery_failed.subscription_id, 'pattern', v_disabled.pattern, 'target', queue._masked_url(v_disabled.target),
      'failing_since', v_disabled.failing_since, 'disabled_at', v_disabled.disabled_at,
      'reason', v_disabled.disabled_reason
    );
    perform queue._publish(v_topic, v_message, null, queue._subscriptions_for(v_topic, v_message));
    return true;
  end if;

  return exists (
    select
    from queue.subscription as s
    where s.subscription_id = delivery_failed.subscription_id
      and s.disabled_at is not null
  );
end
$function$;

comment on function queue.delivery_failed(bigint, text, interval) is
$comment$For servers: records that a delivery to the url of a subscription failed, and disables the subscription if no delivery has succeeded for a long time. The server plans the next attempt. Disabling publishes a message to the topic oxbow.subscription.disabled, with subscription_id, pattern, target, failing_since, disabled_at and reason. Messages for a disabled subscription become dead letters until enable_subscription().
reason: the response of the url.
disable_after: how long after the first of the consecutive failures to disable; null never disables.
Returns true if the subscription is disabled, which makes another attempt pointless.
Touches: queue.subscription, at the first of the consecutive failures and when disabling; then as send_topic().$comment$;
