create or replace function queue._record_leaving(route text, slots integer[], target smallint)
returns boolean
language plpgsql
volatile
-- plans: index
as $function$
begin
  if not exists (
    select
    from unnest(_record_leaving.slots) as s (slot)
    where not exists (
      select
      from queue.leaving_home as h
      where h.slot = s.slot
        and h.route = coalesce(_record_leaving.route, '')
        and h.shard = target
    )
  ) then
    return false;
  end if;
  perform queue._lock_slots(_record_leaving.slots);
  insert into queue.leaving_home (shard, slot, route)
  select target, s.slot, coalesce(_record_leaving.route, '')
  from unnest(_record_leaving.slots) as s (slot)
  on conflict on constraint leaving_home_pkey do nothing;
  return true;
end
$function$;

comment on function queue._record_leaving(text, integer[], smallint) is
$comment$Records that the keys of a route, or of the routes of slots, are being sent to the shard that becomes their home: those of runs that arrive from then on are sent as they arrive.
route: null for those of the slots.
slots: that of the route, or those that move.
target: number of the shard.
Returns true; false if it was recorded before. True, it is in force when the transaction has ended.
Errors: 55P03 a transaction that has started a run with such a route stays open for longer than 50 ms.
Touches: queue.leaving_home; as _lock_slots().$comment$;
