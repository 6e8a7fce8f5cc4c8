create or replace function queue._require_group(queue text, message_group_id text)
returns boolean
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_place record;
begin
  perform queue._lock_homes(array[queue._route_of(message_group_id)]);
  perform queue._lock_groups(queue, array[message_group_id]);
  select p.shard, p.epoch, p.is_here, p.leaves into v_place
  from queue._find_group_place(queue, message_group_id) as p;
  if v_place.is_here is not true then
    perform queue._raise_away(
      format('message group "%s" of queue "%s" is', left(message_group_id, 140), queue), v_place.shard, v_place.epoch,
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
