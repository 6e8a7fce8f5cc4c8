create or replace function queue.outbox_pending()
returns setof text
language plpgsql
volatile
security definer
-- plans: index
as $function$
begin
  if not queue._in_fleet() or pg_is_in_recovery() then
    return;
  end if;
  -- A copy of a shard leaves its runs to its source.
  if exists (select from queue.departing) and not queue._must_hold(false) then
    perform queue._hand_over_departing();
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
$comment$Lists the shards that items in the outbox of this one wait for. Relays ask this when they are woken, and from time to time. It also moves runs that hand_over_run() has asked for, once their workers have given them back, unless this database is held as a copy.
Returns their names.
Touches: as _must_hold(); reads queue.outbox; as hand_over_run() if a run is to move.$comment$;
