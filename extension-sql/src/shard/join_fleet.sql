create or replace function queue.join_fleet(name text, map jsonb)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_fleet    queue.fleet;
  v_own      jsonb;
  v_blocks   smallint[];
  v_first    bigint;
  v_skipped  bigint;
  v_sequence record;
begin
  perform queue._ensure_migrated();
  perform queue._check_map(map, name);
  perform queue._skip_lost_ids();
  v_own := jsonb_path_query_first(map, '$.shards[*] ? (@.name == $name)', jsonb_build_object('name', name));
  v_blocks := array(select b.block::smallint from jsonb_array_elements_text(v_own -> 'blocks') as b (block));
  -- Concurrent joins wait here; so do new schedules, and starts, whose ids the checks below have to see.
  lock table queue.fleet in share row exclusive mode;
  lock table queue.schedule in share row exclusive mode;
  lock table queue.workflow_run in share row exclusive mode;
  select f.* into v_fleet from queue.fleet as f;
  if found then
    if v_fleet.fleet_id is distinct from (map ->> 'fleetId')::uuid
      or name is distinct from (select s.name from queue.fleet_shard as s where s.shard = v_fleet.shard)
    then
      perform queue._raise('OX004', format('this database is a shard of fleet %s already', v_fleet.fleet_id), null,
        'A database is one shard of one fleet.');
    end if;
    if v_fleet.shard is distinct from (v_own ->> 'number')::smallint
      or v_blocks is distinct from (select s.blocks from queue.fleet_shard as s where s.shard = v_fleet.shard)
    then
      perform queue._raise('OX004',
        format('this database is shard "%s" with number %s, and the map has it with number %s and blocks %s', name, v_fleet.shard,
          v_own ->> 'number', v_blocks),
        null, 'The fleet was restored to a moment before this database joined: give a new database.');
    end if;
    return false;
  end if;

  perform queue._require_unused_or_own_ids(v_blocks);
  v_skipped := coalesce(pg_sequence_last_value('queue.skipped_ids'), 0);
  v_first := v_blocks[1]::bigint << 36;
  if not ((v_skipped + 1) >> 36) = any (v_blocks) then
    perform queue._move_ids(v_first - v_skipped);
    -- Another session may have taken an id in between, and would go on with its neighbours.
    perform queue._require_unused_or_own_ids(v_blocks);
  end if;

  insert into queue.fleet (epoch, fleet_id, joined_at, shard, slots)
  select (map ->> 'epoch')::bigint, (map ->> 'fleetId')::uuid, clock_timestamp(), (v_own ->> 'number')::smallint,
    array(
      select s.slot::smallint
      from jsonb_array_elements_text(map -> 'slots') with ordinality as s (slot, n)
      order by s.n
    );
  insert into queue.fleet_shard (shard, name, blocks, is_open, is_draining)
  select (s.shard ->> 'number')::smallint, s.shard ->> 'name',
    array(select b.block::smallint from jsonb_array_elements_text(s.shard -> 'blocks') as b (block)),
    coalesce((s.shard ->> 'isOpen')::boolean, true),
    coalesce((s.shard ->> 'isDraining')::boolean, false)
  from jsonb_array_elements(map -> 'shards') as s (shard);
  -- It may take the place of a shard after routes have moved.
  insert into queue.fleet_slot (epoch, shard, slot)
  select coalesce((map -> 'movedSlotEpochs' ->> m.slot)::bigint, 1), m.shard::smallint, m.slot::smallint
  from jsonb_each_text(map -> 'movedSlots') as m (slot, shard);
  insert into queue.fleet_pin (epoch, shard, route)
  select coalesce((map -> 'pinEpochs' ->> p.route)::bigint, 1), p.shard::smallint, p.route
  from jsonb_each_text(map -> 'pins') as p (route, shard);
  perform queue._mark_fleet(true);
  update queue.schedule as s
  set slot = queue._schedule_slot(s.name),
    home_epoch = null
  where s.definition_id is null;
  -- So that no id of another shard is given out.
  for v_sequence in
    select c.relname as name, greatest(pg_sequence_last_value(i.id), pg_sequence_last_value('queue.skipped_ids') + 1, 1) as id
    from queue._id_sequences() as i (id)
    join pg_class as c on c.oid = i.id
    order by c.oid
  loop
    execute format('alter sequence queue.%I maxvalue %s', v_sequence.name, queue._last_own_id(v_sequence.id));
  end loop;
  perform queue._record_action('database.join_fleet', 'database', array[current_database()],
    jsonb_build_object('fleet_id', map -> 'fleetId', 'shard', name));
  return true;
end
$function$;

comment on function queue.join_fleet(text, jsonb) is
$comment$Makes this database a shard of a fleet: its ids begin in its block from now on, and it keeps a copy of the map. No row moves and no id changes. `oxbow shards init` calls it in each database, and `oxbow shards add` in a new one, after it has asked the other shards what this function can't see: whether they know this database, and whether another one is the shard. Clients that connect to one shard by its own url start runs there, wherever their keys are at home, so stop them before.
name: of the shard.
map: as fleet_map() returns it, without own. All shards of a fleet get the same.
Returns true; false if it was this shard of this fleet already.
Errors: OX004 invalid argument: the map is invalid, the database has ids of blocks that the map gives to other shards, or is in another fleet, or in this one as another shard.
Touches: queue.fleet, queue.fleet_shard, queue.fleet_slot, queue.fleet_pin, queue.schedule, queue.audit; the sequences in schema queue, queue.skipped_ids; as _mark_fleet(); locks queue.schedule and queue.workflow_run against writes.$comment$;
