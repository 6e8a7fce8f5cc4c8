create or replace function queue.topic_targets(topic text, message jsonb)
returns setof queue.topic_target
language plpgsql
stable
security definer
-- plans: index
as $function$
declare
  v_is_masked constant boolean := not queue._is_administrator();
begin
  perform queue._check_topic(topic, false);
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select s.subscription_id, s.pattern, s.target_type,
      case when v_is_masked and s.target_type = 'http' then queue._masked_url(s.target) else s.target end,
      m.input, m.key,
      case
        when s.disabled_at is null then coalesce(m.problem, case when s.options ? 'version' then queue._version_problem(s.target, s.options) end)
        else format('the subscription is disabled: %s', s.disabled_reason)
      end,
      s.disabled_at is null
        and not starts_with(topic, 'oxbow.')
        and coalesce((s.options -> 'strict')::boolean, false)
    from queue.subscription as s
    cross join lateral queue._map_message(s.options, message) as m
    where s.subscription_id = any (queue._subscriptions_for(topic, message))
      and not s.options ? 'unused_since'
    order by s.subscription_id;
end
$function$;

comment on function queue.topic_targets(text, jsonb) is
$comment$Lists what a message of a topic would go to, and publishes nothing. send_topic() would deliver to the same subscriptions.
topic: words separated by ".".
Returns one row per subscription that matches, oldest first, with steps that wait for the topic; no rows if nothing matches.
Errors: OX004 invalid argument, OX006 the tables are older than the functions.
Touches: nothing; reads queue.subscription; as _version_problem().$comment$;
