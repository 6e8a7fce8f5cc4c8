create or replace function queue.shard_lag()
returns setof queue.shard_lag
language plpgsql
stable
security definer
-- plans: index, no bitmap, no sort
as $function$
declare
  v_most constant integer := 10000;
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select s.name, p.items, coalesce(extract(epoch from clock_timestamp() - o.created_at), 0)::double precision, r.items
    from queue.fleet as f
    join queue.fleet_shard as s on s.shard <> f.shard
    cross join lateral (
      select count(*) as items
      from (
        select
        from queue.outbox as w
        where w.target = s.shard
          and w.delivered_at is null
          and w.problem is null
        limit v_most
      ) as w
    ) as p
    left join lateral (
      select w.created_at
      from queue.outbox as w
      where w.target = s.shard
        and w.delivered_at is null
        and w.problem is null
      order by w.item_id
      limit 1
    ) as o on true
    cross join lateral (
      select count(*) as items
      from (
        select
        from queue.outbox as w
        where w.target = s.shard
          and w.problem is not null
        limit v_most
      ) as w
    ) as r
    order by s.name;
end
$function$;

comment on function queue.shard_lag() is
$comment$Returns what waits in the outbox of this shard for each of the others. It counts up to 10,000 items: that number means at least as many.
Returns one row for each other shard; no rows in a standalone database.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.outbox, queue.fleet_shard.$comment$;
