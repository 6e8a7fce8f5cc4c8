create or replace function queue.drain_shard(name text, drains boolean default true)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._ensure_migrated();
  if drains is null then
    perform queue._raise('OX004', 'invalid drains null', null, 'Give true, or false to end it.');
  end if;
  if not exists (select from queue.fleet_shard as s where s.name = drain_shard.name) then
    perform queue._raise('OX004', format('this database knows no shard "%s"', coalesce(left(name, 40), 'null')), null,
      'Give the name of a shard of its fleet: queue.fleet_map() has them.');
  end if;
  update queue.fleet_shard as s
  set is_draining = drains
  where s.name = drain_shard.name
    and s.is_draining <> drains;
  if not found then
    return false;
  end if;
  perform queue._record_action(
    'shard.drain', 'database', array[current_database()], 'changed',
    jsonb_build_object('shard', drain_shard.name, 'drains', drains)
  );
  return true;
end
$function$;

comment on function queue.drain_shard(text, boolean) is
$comment$Records in this shard that one of the fleet is being emptied: clients choose another one for starts and messages without a home, and nothing moves there from here. What it has stays, until routes and drain_runs() move it. `oxbow shards drain` calls it in each shard.
name: of the shard that is emptied.
drains: false ends it.
Returns true; false if nothing changes.
Errors: OX004 invalid argument.
Touches: queue.fleet_shard, queue.audit.$comment$;
