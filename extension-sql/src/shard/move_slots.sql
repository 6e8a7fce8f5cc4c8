create or replace function queue.move_slots(slots integer[], shard text, after bigint default 0)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_target constant smallint := queue._require_shard(shard);
begin
  if exists (select from unnest(move_slots.slots) as s (slot) where s.slot is null or s.slot not between 0 and 1023) then
    perform queue._raise('OX004', format('invalid move_slots.slots %s', left(move_slots.slots::text, 100)), null, 'A slot is 0 to 1023.');
  end if;
  return queue._hand_over_home(null, slots, v_target, coalesce(after, 0));
end
$function$;

comment on function queue.move_slots(integer[], text, bigint) is
$comment$Makes another shard the home of the routes of slots, as pin_route() does for one route, in the shard that has them now. Routes that are pinned stay where they are, and so do message groups and schedules.
slots: 0 to 1023; those that are at home elsewhere are skipped.
shard: name of the shard.
after: what the call before has returned.
Returns null when the home has changed, also by an earlier call; otherwise what the next call needs.
Errors: as pin_route().
Touches: as _hand_over_home().$comment$;
