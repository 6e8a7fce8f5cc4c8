create or replace function queue._other_shard(id bigint)
returns smallint
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if to_regclass('queue.fleet_shard') is null then
    return null;
  end if;
  return (
    select s.shard
    from queue.fleet as f
    join queue.fleet_shard as s on s.shard <> f.shard
    where (_other_shard.id >> 36) = any (s.blocks)
  );
end
$function$;

comment on function queue._other_shard(bigint) is
$comment$Returns the number of the other shard that has given out an id of a run; null if none has, or this database stands alone.
Touches: nothing; reads queue.fleet, queue.fleet_shard.$comment$;
