create or replace function queue._filter_key(pattern text, filter jsonb, out filter_path text, out filter_hash bigint)
language plpgsql
stable
as $function$
begin
  with recursive node (path, value) as (
    select '{}'::text[], filter
    where jsonb_typeof(filter) = 'object'
    union all
    select n.path || e.key, e.value
    from node as n
    cross join lateral jsonb_each(case jsonb_typeof(n.value) when 'object' then n.value else '{}' end) as e
  )
  select leaf.path, leaf.hash
  into filter_path, filter_hash
  from (
    select n.path::text as path, jsonb_hash_extended(n.value, 0) as hash
    from node as n
    where jsonb_typeof(n.value) not in ('object', 'array')
      -- A row of the index has at most 2.7 kB.
      and octet_length(n.path::text) <= 2000
  ) as leaf
  cross join lateral (
    select count(*) as subscriptions
    from (
      select
      from queue.subscription as s
      where s.pattern = _filter_key.pattern
        and s.filter_path = leaf.path
        and s.filter_hash = leaf.hash
      limit 1000
    ) as counted
  ) as same
  order by same.subscriptions, leaf.path collate "C"
  limit 1;

  filter_path := coalesce(filter_path, '');
  filter_hash := coalesce(filter_hash, 0);
end
$function$;

comment on function queue._filter_key(text, jsonb) is
$comment$Chooses the value of a filter by which the index finds it: among the values at paths of object keys of at most 2000 bytes, the one that the fewest subscriptions of the pattern have.
Returns the path and the hash of the value; '' and 0 for a filter without one.
Touches: nothing; reads queue.subscription.$comment$;
