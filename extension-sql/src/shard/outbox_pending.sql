create or replace function queue.outbox_pending()
returns setof text
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
begin
  if to_regclass('queue.outbox') is null then
    return;
  end if;
  return query
    select s.name
    from queue.fleet as f
    join queue.fleet_shard as s on s.shard <> f.shard
    where exists (
      select
      from queue.outbox as o
      where o.target = s.shard
        and o.delivered_at is null
        and o.problem is null
    )
    order by s.name;
end
$function$;

comment on function queue.outbox_pending() is
$comment$Lists the shards that items in the outbox of this one wait for. Relays ask this when they are woken, and from time to time.
Returns their names.
Touches: nothing; reads queue.outbox.$comment$;
