create or replace function queue.outbox_take(target text, max_items integer default 500)
returns setof queue.outbox_batch
language plpgsql
volatile
security definer
-- plans: index, no bitmap, no sort
as $function$
declare
  v_max_bytes constant bigint := 4194304::bigint;
  v_batch     queue.outbox_batch;
  v_joined    text;
begin
  perform queue._migrate_if_older();
  -- What came with a copy, its source delivers.
  if queue._must_hold(false) then
    return;
  end if;
  select s.shard::integer into v_batch.target
  from queue.fleet_shard as s
  where s.name = outbox_take.target
  for no key update skip locked;
  if not found then
    return;
  end if;
  -- A relay that is stopped in the middle must not keep the lock.
  perform set_config('idle_in_transaction_session_timeout', '60s', true);
  -- A database that takes the place of this one, or joins again, may give out the same ids.
  select f.fleet_id, f.shard::integer, clock_timestamp(), to_hex((extract(epoch from f.joined_at) * 1000000)::bigint)
  into v_batch.fleet_id, v_batch.source, v_batch.read_at, v_joined
  from queue.fleet as f;
  select coalesce(array_agg(i.item_id order by i.item_id), '{}'), coalesce(array_agg(i.kind order by i.item_id), '{}'),
    coalesce(array_agg(i.cause order by i.item_id), '{}'), coalesce(array_agg(i.body order by i.item_id), '{}')
  into v_batch.item_ids, v_batch.kinds, v_batch.causes, v_batch.bodies
  from (
    select o.item_id, o.kind, format('%s:%s', v_joined, coalesce(o.cause, o.item_id::text)) as cause, o.body,
      row_number() over (order by o.item_id) as n, sum(queue._json_size(o.body)) over (order by o.item_id) as bytes
    from (
      select p.item_id, p.kind, p.cause, p.body
      from queue.outbox as p
      where p.target = v_batch.target
        and p.delivered_at is null
        and p.problem is null
      order by p.item_id
      limit max_items
    ) as o
  ) as i
  where i.n = 1 or i.bytes <= v_max_bytes;
  return next v_batch;
end
$function$;

comment on function queue.outbox_take(text, integer) is
$comment$Returns the oldest items for another shard, and keeps other relays from that shard until the transaction ends. Give them to accept() there, and what that returns to outbox_done() in the same transaction.
target: name of the shard.
max_items: as many at most; fewer if they have more than 4 MiB.
Returns one row, without items if nothing waits; no row if another relay serves the shard at present, there is no such shard, or this database is held as a copy.
Touches: queue.fleet_shard (SKIP LOCKED); the transaction's setting idle_in_transaction_session_timeout; reads queue.fleet, queue.outbox.$comment$;
