create or replace function queue._deduplicate_batch(queue text, keys text[])
returns bigint[]
language plpgsql
volatile
-- plans: index, nested loop
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
  v_new text[];
begin
  -- In one order, in which two batches with the same ids wait for each other instead of meeting in a deadlock.
  with recorded as (
    insert into queue.deduplication as d (queue_name, deduplication_id, expires_at, msg_id)
    select _deduplicate_batch.queue, i.key, v_now + interval '5 minutes', 0
    from (select distinct k.key from unnest(keys) as k (key) where k.key is not null) as i
    order by i.key collate "C"
    on conflict on constraint deduplication_pkey do update
    set expires_at = excluded.expires_at
    where d.expires_at <= v_now
    returning d.deduplication_id
  )
  select array_agg(recorded.deduplication_id) into v_new from recorded;

  -- As many expired ids as an insert of each would delete, so that the table shrinks to the live ones.
  with expired as materialized (
    select d.queue_name, d.deduplication_id
    from queue.deduplication as d
    where d.expires_at <= v_now
    order by d.expires_at
    limit 2 * coalesce(cardinality(v_new), 0)
    for update skip locked
  )
  delete from queue.deduplication as d
  using expired
  where d.queue_name = expired.queue_name
    and d.deduplication_id = expired.deduplication_id;

  return array(
    select case
        when k.key is null then null
        when known.is_new and k.repetition = 1 then null
        when known.is_new then 0
        else known.msg_id
      end
    from (
      select i.key, i.position, row_number() over (partition by i.key order by i.position) as repetition
      from unnest(keys) with ordinality as i (key, position)
    ) as k
    left join lateral (
      select d.msg_id, d.deduplication_id = any (v_new) is true as is_new
      from queue.deduplication as d
      where d.queue_name = _deduplicate_batch.queue
        and d.deduplication_id = k.key
    ) as known on true
    order by k.position
  );
end
$function$;

comment on function queue._deduplicate_batch(text, text[]) is
$comment$Does what _deduplicate() does, for many messages.
keys: of _deduplication_key(), one element per message; null for a message without a deduplication id.
Returns for each message, in their order, the id of the message that was sent with its deduplication id in the last 5 minutes; 0 if that is an earlier message of this batch; null if the message is to be sent. The caller then records the ids of those.
Touches: queue.deduplication: the ids' rows, in their order (waits for transactions that send with the same ids), and two expired ones per new id.$comment$;
