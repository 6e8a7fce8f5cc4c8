create or replace function queue.shard_candidate()
returns queue.shard_candidate
language plpgsql
volatile
security definer
as $function$
declare
  v_skipped constant bigint := coalesce(pg_sequence_last_value('queue.skipped_ids'), 0);
  v_found   queue.shard_candidate;
  v_slots   smallint[];
  v_table   text;
begin
  perform queue._ensure_migrated();
  select coalesce(bool_or(pg_sequence_last_value(i.id) > v_skipped), false),
    (greatest(max(pg_sequence_last_value(i.id)), v_skipped) >> 36)::integer
  into v_found.has_ids, v_found.last_block
  from queue._id_sequences() as i (id);
  select array_agg(distinct queue._route_slot(k.route)::smallint)
  into v_found.used_slots
  from (
    -- A key leads to itself or, if it was given a route, to what it begins with.
    select unnest(array[r.route, r.idempotency_key, split_part(r.idempotency_key, '/', 1)])
    from queue.workflow_run as r
    where coalesce(r.route, r.idempotency_key) is not null
    union all
    select queue._route_of(s.name)
    from queue.schedule as s
  ) as k (route)
  where k.route is not null;
  for v_table in
    select 'q_' || q.name
    from queue.queue as q
    where q.kind = 'fifo'
  loop
    execute format(
      'select array_agg(distinct queue._route_slot(queue._route_of(m.message_group_id))::smallint) from queue.%I as m', v_table
    ) into v_slots;
    v_found.used_slots := v_found.used_slots || v_slots;
  end loop;
  v_found.used_slots := array(select distinct s.slot from unnest(v_found.used_slots) as s (slot) order by s.slot);
  return v_found;
end
$function$;

comment on function queue.shard_candidate() is
$comment$Returns what this database would bring into a fleet, for join_fleet(). It reads all idempotency keys, which takes about a second per million.
Touches: nothing; reads queue.workflow_run, queue.schedule, the tables of FIFO queues.$comment$;
