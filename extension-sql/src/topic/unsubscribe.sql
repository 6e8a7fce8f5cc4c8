create or replace function queue.unsubscribe(id bigint)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_detail jsonb;
begin
  perform queue._ensure_migrated();
  delete from queue.subscription as s
  where s.subscription_id = unsubscribe.id
    and s.target_type not in ('run', 'definition')
  returning jsonb_build_object('pattern', s.pattern, 'target_type', s.target_type, 'target', queue._masked_url(s.target))
  into v_detail;
  perform queue._record_action('subscription.delete', 'subscription', array[unsubscribe.id::text],
    v_detail, changed => v_detail is not null);
  return v_detail is not null;
end
$function$;

comment on function queue.unsubscribe(bigint) is
$comment$Ends a subscription: messages published after the commit do not go there. Subscriptions of triggers end with their definitions, and those of steps that wait for a message with the wait. Deliveries to its url that are still queued become dead letters.
Returns true; false if the subscription does not exist.
Touches: queue.subscription; queue.audit.$comment$;
