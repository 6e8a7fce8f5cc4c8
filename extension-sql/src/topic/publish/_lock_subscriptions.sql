create or replace function queue._lock_subscriptions(ids bigint[])
returns setof bigint
language plpgsql
volatile
-- plans: index
as $function$
begin
  return query
    select s.subscription_id
    from queue.subscription as s
    where s.subscription_id = any (ids)
    order by s.subscription_id
    for key share;
end
$function$;

comment on function queue._lock_subscriptions(bigint[]) is
$comment$Keeps subscriptions from ending until the transaction does. Call it before a message that exists nowhere else is published to them: _publish() delivers nothing to a subscription that has ended.
Returns the ids of existing ones, in order; no rows for null.
Touches: queue.subscription, in the order of ids (FOR KEY SHARE, which lets a subscription be disabled and enabled).$comment$;
