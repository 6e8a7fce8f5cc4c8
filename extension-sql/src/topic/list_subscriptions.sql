create or replace function queue.list_subscriptions(pattern text default null)
returns setof queue.subscription_info
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_is_masked constant boolean := not queue._may_see_passwords();
begin
  perform queue._require_current_tables();
  if to_regclass('queue.subscription') is null then
    return;
  end if;
  return query
    select s.subscription_id, s.pattern, s.target_type,
      case when v_is_masked and s.target_type = 'http' then queue._masked_url(s.target) else s.target end, s.filter, s.options, s.created_at,
      s.failing_since, s.disabled_at, s.disabled_reason
    from queue.subscription as s
    where (s.pattern = list_subscriptions.pattern or list_subscriptions.pattern is null)
      and s.target_type <> 'run'
    order by s.subscription_id;
end
$function$;

comment on function queue.list_subscriptions(text) is
$comment$Lists subscriptions, oldest first, without those of steps that wait for a message.
pattern: lists subscriptions with exactly this pattern; null lists all.
Returns one row per subscription. target: a password in a url is masked except for oxbow_admin. failing_since: time of the first of the consecutive failures of a url. disabled_at, disabled_reason: since when and why nothing is delivered: see enable_subscription().
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.subscription.$comment$;
