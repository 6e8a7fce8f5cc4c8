create or replace function queue._subscriptions(pattern text, id bigint)
returns setof queue.subscription_info
language plpgsql
stable
as $function$
declare
  v_is_masked constant boolean := not queue._is_administrator();
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select s.subscription_id, s.pattern, s.target_type,
      case when v_is_masked and s.target_type = 'http' then queue._masked_url(s.target) else s.target end,
      s.filter, s.options, s.created_at, s.failing_since, s.disabled_at, s.disabled_reason
    from queue.subscription as s
    where (s.pattern = _subscriptions.pattern or _subscriptions.pattern is null)
      and (s.subscription_id = _subscriptions.id or _subscriptions.id is null)
      and s.target_type not in ('run', 'definition')
    order by s.subscription_id;
end
$function$;

comment on function queue._subscriptions(text, bigint) is
$comment$Reads subscriptions, except those of steps that wait for a message and of triggers. Passwords in urls are masked for callers that may not see them.
pattern: only subscriptions with exactly this pattern; null for any. id: only this subscription; null for any.
Returns one row per subscription, oldest first.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.subscription.$comment$;
