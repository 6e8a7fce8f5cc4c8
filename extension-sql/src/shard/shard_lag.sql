create or replace function queue.shard_lag()
returns setof queue.shard_lag
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._require_current_tables();
  if to_regclass('queue.outbox') is null then
    return;
  end if;
  return query
    select s.name, p.items, coalesce(extract(epoch from clock_timestamp() - p.oldest), 0)::double precision,
      (select count(*) from queue.outbox as r where r.target = s.shard and r.problem is not null)
    from queue.fleet as f
    join queue.fleet_shard as s on s.shard <> f.shard
    cross join lateral (
      select count(*) as items, min(o.created_at) as oldest
      from queue.outbox as o
      where o.target = s.shard
        and o.delivered_at is null
        and o.problem is null
    ) as p
    order by s.name;
end
$function$;

comment on function queue.shard_lag() is
$comment$Returns what waits in the outbox of this shard for each of the others.
Returns one row for each other shard; none in a database that stands alone.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.outbox, queue.fleet_shard.$comment$;
