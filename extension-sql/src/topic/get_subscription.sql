create or replace function queue.get_subscription(id bigint)
returns setof queue.subscription_info
language plpgsql
stable
security definer
as $function$
begin
  if get_subscription.id is not null then
    return query select s.* from queue._subscriptions(null, get_subscription.id) as s;
  end if;
end
$function$;

comment on function queue.get_subscription(bigint) is
$comment$Reads a subscription.
id: as returned by subscribe().
Returns its row of list_subscriptions(); no row if the subscription does not exist.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.subscription.$comment$;
