create or replace function queue.fleet_map()
returns jsonb
language plpgsql
stable
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return null;
  end if;
  return (
    select jsonb_build_object(
      'fleetId', f.fleet_id,
      'epoch', f.epoch,
      'own', f.shard,
      'slots', to_jsonb(f.slots),
      'movedSlots', (
        select coalesce(jsonb_object_agg(m.slot, m.shard), '{}')
        from queue.fleet_slot as m
      ),
      'movedSlotEpochs', (
        select coalesce(jsonb_object_agg(m.slot, m.epoch), '{}')
        from queue.fleet_slot as m
      ),
      'pins', (
        select coalesce(jsonb_object_agg(p.route, p.shard), '{}')
        from queue.fleet_pin as p
      ),
      'pinEpochs', (
        select coalesce(jsonb_object_agg(p.route, p.epoch), '{}')
        from queue.fleet_pin as p
      ),
      'shards', (
        select jsonb_agg(jsonb_build_object('number', s.shard, 'name', s.name, 'blocks', s.blocks, 'isOpen', s.is_open, 'isDraining', s.is_draining) order by s.shard)
        from queue.fleet_shard as s
      )
    )
    from queue.fleet as f
  );
end
$function$;

comment on function queue.fleet_map() is
$comment$Returns this shard's copy of the map of its fleet.
Returns an object: fleetId, epoch (version of the map), own (number of this shard), slots (by slot, the number of a shard: where routes were at home when the map was dealt), movedSlots and pins (where routes are at home instead, by slot and by route), movedSlotEpochs and pinEpochs (versions of the map since which they are) and shards (number, name and blocks of ids of each, and isOpen: false while clients need not know it, and isDraining: true while drain_shard() empties it); null in a standalone database.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.fleet, queue.fleet_shard, queue.fleet_slot, queue.fleet_pin.$comment$;
