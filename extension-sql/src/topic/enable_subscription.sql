create or replace function queue.enable_subscription(id bigint)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_found boolean;
begin
  perform queue._ensure_migrated();
  update queue.subscription as s
  set failing_since = null, disabled_at = null, disabled_reason = null
  where s.subscription_id = enable_subscription.id;
  v_found := found;
  perform queue._record_action('subscription.enable', 'subscription', array[enable_subscription.id::text],
    changed => v_found);
  return v_found;
end
$function$;

comment on function queue.enable_subscription(bigint) is
$comment$Enables a subscription that was disabled because its url kept failing: it receives messages published after the commit. redrive_topic_dead_letters() delivers the dead letters from before. Enabling an enabled subscription changes nothing.
Returns true; false if the subscription does not exist.
Touches: queue.subscription; queue.audit.$comment$;
