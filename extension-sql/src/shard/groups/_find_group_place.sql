create or replace function queue._find_group_place(
  queue            text,
  message_group_id text,
  out shard   smallint,
  out epoch   bigint,
  out is_here boolean,
  out leaves  boolean
)
language plpgsql
volatile
-- plans: index
as $function$
begin
  perform
  from queue.leaving_group as l
  where l.queue_name = _find_group_place.queue
    and l.message_group_id = _find_group_place.message_group_id
  -- In a transaction that is not READ COMMITTED, the group may have left since its snapshot: then this fails.
  for key share;
  leaves := found;
  select p.shard, h.epoch, p.shard = f.shard
  into shard, epoch, is_here
  from queue._home_of(queue._route_of(message_group_id)) as h
  cross join queue.fleet as f
  left join queue.group_elsewhere as e
    on h.shard = f.shard
    and e.queue_name = _find_group_place.queue
    and e.message_group_id = _find_group_place.message_group_id
  cross join lateral (
    select case when _find_group_place.leaves then f.shard else coalesce(e.shard, h.shard) end as shard
  ) as p;
end
$function$;

comment on function queue._find_group_place(text, text) is
$comment$Returns where messages of a group go: here while it is about to leave, or if its route is at home here and it has arrived; otherwise to the shard where it is, or to its home.
queue, message_group_id: of a group whose lock, and the lock of whose slot, the caller holds: the place stays so until they are released.
Returns the number of the shard, the version of the map since which the route is at home where it is, whether that is this one, and whether the group is here and about to leave.
Errors: 40001 the group has left since the snapshot of a transaction that is not READ COMMITTED.
Touches: queue.leaving_group (row lock); reads queue.group_elsewhere, queue.fleet; as _home_of().$comment$;
