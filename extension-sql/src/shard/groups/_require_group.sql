create or replace function queue._require_group(queue text, message_group_id text)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_place record;
begin
  perform queue._lock_homes(array[queue._route_of(message_group_id)]);
  perform queue._lock_groups(queue, array[message_group_id]);
  select p.shard, p.epoch, p.leaves, s.name, o.name as own, p.shard = f.shard as is_here into v_place
  from queue._find_group_place(queue, message_group_id) as p
  cross join queue.fleet as f
  join queue.fleet_shard as s on s.shard = p.shard
  join queue.fleet_shard as o on o.shard = f.shard;
  if not v_place.is_here then
    perform queue._raise(
      'OX028',
      format('message group "%s" of queue "%s" is in shard "%s", not in "%s"',
        left(message_group_id, 140), queue, v_place.name, v_place.own),
      jsonb_build_object('home', v_place.name, 'shard', v_place.own, 'epoch', v_place.epoch)::text,
      'Send it there, or by a client of the fleet.'
    );
  end if;
  return v_place.leaves;
end
$function$;

comment on function queue._require_group(text, text) is
$comment$Requires that a message group is in this shard of a fleet: at home, by the route that its id begins with, and arrived; or about to leave. It stays so until the transaction ends.
Returns whether it is about to leave.
Errors: OX028 it is in another shard; 40001 it has left, or the map has changed, since the snapshot of a transaction that is not READ COMMITTED.
Touches: as _lock_homes(); the group's advisory lock until the transaction ends (waits); as _find_group_place(); reads queue.fleet, queue.fleet_shard.$comment$;
