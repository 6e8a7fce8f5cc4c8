create or replace function queue._filter_key(pattern text, filter jsonb, out filter_path text, out filter_hash bigint)
language plpgsql
stable
as $function$
begin
  select leaf.path, leaf.hash
  into filter_path, filter_hash
  from queue._filter_leaves(filter) as leaf
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
$comment$Chooses the value of a filter by which the index finds it: among those of _filter_leaves(), the one that the fewest subscriptions of the pattern have.
Returns the path and the hash of the value; '' and 0 for a filter without one.
Touches: nothing; reads queue.subscription.$comment$;
