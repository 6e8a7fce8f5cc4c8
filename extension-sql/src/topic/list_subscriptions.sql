create or replace function queue.list_subscriptions(pattern text default null)
returns setof queue.subscription_info
language plpgsql
stable
security definer
as $function$
begin
  return query select s.* from queue._subscriptions(list_subscriptions.pattern, null) as s;
end
$function$;

comment on function queue.list_subscriptions(text) is
$comment$Lists subscriptions, oldest first, without those of steps that wait for a message and of triggers of definitions.
pattern: lists subscriptions with exactly this pattern; null lists all.
Returns one row per subscription. target: a password in a url is masked except for oxbow_admin. failing_since: time of the first of the consecutive failures of a url. disabled_at, disabled_reason: since when and why nothing is delivered: see enable_subscription().
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.subscription.$comment$;
