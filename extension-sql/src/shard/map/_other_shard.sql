create or replace function queue._other_shard(id bigint)
returns smallint
language plpgsql
stable
parallel safe
as $function$
declare
  v_shard smallint;
begin
  if not queue._in_fleet() then
    return null;
  end if;
  v_shard := queue._moved_to(id);
  if v_shard is not null then
    return v_shard;
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
$comment$Returns the number of the other shard where a run that is not here may be: the one that it has moved to, else the one that has given out its id. Null if no shard has, or this database is standalone.
Touches: nothing; reads queue.fleet, queue.fleet_shard, queue.elsewhere.$comment$;
