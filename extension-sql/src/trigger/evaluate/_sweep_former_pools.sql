create or replace function queue._sweep_former_pools(max_events integer, moment timestamptz)
returns integer
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_pool     text;
  v_settings queue.queue_settings;
  v_received record;
  v_is_empty boolean;
  v_swept    integer := 0;
begin
  for v_pool in
    -- From one pool to the next through the index, however many definitions have left it.
    with recursive pools (pool) as (
      (select f.pool from queue.definition_former_pool as f order by f.pool limit 1)
      union all
      select (select f.pool from queue.definition_former_pool as f where f.pool > p.pool order by f.pool limit 1)
      from pools as p
      where p.pool is not null
    )
    select p.pool
    from pools as p
    where p.pool is not null
      and not exists (select from queue.definition_trigger as t where t.pool = p.pool)
    order by p.pool
  loop
    v_is_empty := true;
    if exists (select from queue.queue as q where q.name = queue._trigger_queue(v_pool)) then
      execute format('select not exists (select from %s)', queue._queue_table(queue._trigger_queue(v_pool))) into v_is_empty;
    end if;
    if v_is_empty then
      -- No publish that began before the move is still in progress.
      delete from queue.definition_former_pool as f
      where f.pool = v_pool
        and f.left_at < moment - interval '1 day';
      continue;
    end if;
    v_settings := queue._internal_queue(queue._trigger_queue(v_pool));
    select r.receipts, r.messages, e.headers, e.published
    into v_received
    from queue._receive(v_settings, least(max_events, 100), null, null, 0) as r
    cross join lateral (
      select array_agg(h.headers order by i.position) as headers,
        array_agg(coalesce((h.headers ->> 'published_at')::timestamptz, i.enqueued_at) order by i.position) as published
      from unnest(r.enqueued_ats, r.headers) with ordinality as i (enqueued_at, headers, position)
      cross join lateral queue._event_headers(i.headers) as h (headers)
    ) as e;
    continue when cardinality(v_received.receipts) = 0;
    perform queue._send_moved_events(v_pool, v_received.published, v_received.messages, v_received.headers);
    v_swept := v_swept + coalesce(cardinality(queue._delete_messages(
      v_settings,
      array(
        select i.receipt
        from unnest(v_received.receipts, v_received.headers) as i (receipt, headers)
        -- The pool may have come into use again, perhaps for these events: they are delivered when the lease ends.
        where not exists (select from queue.definition_trigger as t where t.pool = v_pool)
          and (
            not i.headers ? 'only'
            -- An event for a trigger that is not in force waits until its definition is published again.
            or exists (
              select
              from queue.definition as d
              join queue.definition_trigger as t on t.definition_id = d.definition_id
              where d.name = i.headers #>> '{only,definition}'
                and t.name = i.headers #>> '{only,trigger}'
            )
          )
      ),
      moment
    )), 0);
  end loop;
  return v_swept;
end
$function$;

comment on function queue._sweep_former_pools(integer, timestamptz) is
$comment$Forwards the events that reached pools after their last definition had moved to another one: such a pool may have no worker any more.
Pools that were left more than a day ago, and whose queues are empty, are forgotten: a sweep doesn't visit them again.
max_events: bound for each pool, at most 100.
Returns how many events it has taken from these pools.
Touches: the tables of queues __tr_<pool>; queue.definition_former_pool; as _send_moved_events(); reads queue.definition_trigger, queue.queue.$comment$;
