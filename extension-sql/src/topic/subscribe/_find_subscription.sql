create or replace function queue._find_subscription(pattern text, target_type text, target text, filter jsonb)
returns bigint
language plpgsql
stable
-- plans: index, no bitmap, nested loop
as $function$
begin
  return (
    -- One of these is the key of the filter: see _filter_key().
    with leaf (path, hash) as materialized (
      select l.path collate "C", l.hash
      from queue._filter_leaves(filter) as l
    ),
    -- Not by the target, which many subscriptions may have.
    alike as materialized (
      select s.subscription_id, s.target_type, s.target, s.filter
      from (
        select l.path, l.hash
        from leaf as l
        union all
        select '' collate "C", 0::bigint
        where not exists (select from leaf)
      ) as k (path, hash)
      cross join lateral (
        select o.subscription_id, o.target_type, o.target, o.filter
        from queue.subscription as o
        where o.pattern = _find_subscription.pattern
          and o.filter_path = k.path
          and o.filter_hash = k.hash
        offset 0
      ) as s
    )
    -- Transactions that don't read what others commit may have made several: the first one counts.
    select min(a.subscription_id)
    from alike as a
    where a.target_type = _find_subscription.target_type
      and a.target = _find_subscription.target
      and a.filter is not distinct from _find_subscription.filter
  );
end
$function$;

comment on function queue._find_subscription(text, text, text, jsonb) is
$comment$Finds the subscription of a target to a pattern with this filter, by the values of the filter: one of them is in the index, whichever _filter_key() chose. The cost depends on the subscriptions that want the same value, not on all of the pattern.
Returns its id, the least one if there are several; null if it does not exist.
Touches: nothing; reads queue.subscription.$comment$;
