create or replace function queue._shard_of_id(id bigint)
returns text
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
    select s.name
    from queue.fleet_shard as s
    where (_shard_of_id.id >> 36) = any (s.blocks)
  );
end
$function$;

comment on function queue._shard_of_id(bigint) is
$comment$Returns the name of the shard that has given out an id of a run or message; null if no shard has, or this database is standalone.
Touches: nothing; reads queue.fleet_shard.$comment$;
