create or replace function queue.enable_subscription(id bigint)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._ensure_migrated();
  update queue.subscription as s
  set failing_since = null, disabled_at = null, disabled_reason = null
  where s.subscription_id = enable_subscription.id;
  return found;
end
$function$;

comment on function queue.enable_subscription(bigint) is
$comment$Delivers to a subscription again that was disabled because its url had failed for long: what is published from the commit on. What has become a dead letter meanwhile is sent by redrive() of the queue __topic_dead_letters. One that is enabled stays so, and counts as well.
Returns false when there is no such subscription.
Touches: queue.subscription.$comment$;
