create or replace function queue._other_home(route text)
returns smallint
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if to_regclass('queue.fleet') is null then
    return null;
  end if;
  return (
    select s.shard
    from queue.fleet as f
    join queue.fleet_shard as s on s.shard <> f.shard
    where s.name = queue.home_of(route)
  );
end
$function$;

comment on function queue._other_home(text) is
$comment$Returns the number of the other shard where a route is at home; null if that is this one, or this database stands alone.
Errors: OX004 invalid route.
Touches: nothing; reads queue.fleet, queue.fleet_shard.$comment$;
