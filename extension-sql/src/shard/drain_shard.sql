create or replace function queue.drain_shard(name text, drains boolean default true)
returns boolean
language plpgsql
volatile
security definer
set lock_timeout = '10s'
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
  -- The second of two concurrent calls sees what the first has marked.
  perform
  from queue.fleet as f
  for no key update;
  if drains is true
    and not exists (
      select from queue.fleet_shard as s
      where s.is_open
        and not s.is_draining
        and s.name <> drain_shard.name
    )
    and not exists (select from queue.fleet_shard as s where s.name = drain_shard.name and s.is_draining)
  then
    perform queue._raise('OX004',
      format('no other shard than "%s" would take what has no home: the others are not open, or are being drained', drain_shard.name),
      null, 'Open another one, or end its drain: `oxbow shards drain <shard> --undo`.');
  end if;
  update queue.fleet_shard as s
  set is_draining = drains
  where s.name = drain_shard.name
    and s.is_draining <> drains;
  if not found then
    return false;
  end if;
  perform queue._record_action('shard.drain', 'database', array[current_database()],
    jsonb_build_object('shard', drain_shard.name, 'drains', drains));
  return true;
end
$function$;

comment on function queue.drain_shard(text, boolean) is
$comment$Records in this shard that one of the fleet is being emptied: clients choose another one for starts and messages without a home, and nothing moves there from here: runs whose workers were asked for them, to move there, stay. What it has stays, until routes and drain_runs() move it. `oxbow shards drain` calls it in each shard, in the order of their numbers: the first decides between two that are drained concurrently.
name: of the shard that is emptied.
drains: false ends it.
Returns true; false if nothing changes.
Errors: OX004 invalid argument, or no other open shard would be left that is not being drained; 55P03 a change of the map takes longer than ten seconds.
Touches: queue.fleet_shard, queue.audit; locks the row of queue.fleet.$comment$;
