create or replace function queue._homes_of(routes text[])
returns table (route text, shard smallint, epoch bigint)
language plpgsql
stable
as $function$
begin
  return query
  select r.route, h.shard, h.epoch
  from (
    select distinct u.route
    from unnest(routes) as u (route)
    where u.route is not null
  ) as r
  cross join lateral queue._home_of(r.route) as h
  where h.shard is not null;
end
$function$;

comment on function queue._homes_of(text[]) is
$comment$Returns the shards where routes are at home, by this shard's copy of the map.
Returns for each route the same as _home_of(); no rows in a standalone database.
Touches: nothing; as _home_of().$comment$;
