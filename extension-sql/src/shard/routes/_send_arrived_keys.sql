create or replace function queue._send_arrived_keys(run_ids bigint[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  -- A move whose last call has not begun yet is seen by the next statement, and one that has sees the runs.
  perform queue._lock_homes(array(
    select distinct k.route
    from unnest(run_ids) as i (run_id)
    -- Looks each up by its key: without statistics, the planner would read the index of all runs that have an
    -- idempotency key.
    cross join lateral (
      select a.route, a.idempotency_key
      from queue.workflow_run as a
      where a.run_id = i.run_id
      offset 0
    ) as r
    cross join lateral unnest(array[coalesce(r.route, r.idempotency_key), split_part(r.idempotency_key, '/', 1)]) as k (route)
    where r.idempotency_key is not null
  ));
  perform queue._send_item(k.shard, 'keys', null, jsonb_build_object('shard', k.own, 'keys', k.keys))
  from (
    select l.shard, f.shard as own,
      jsonb_agg(distinct jsonb_build_array(r.workflow_name, r.idempotency_key, r.run_id::text)) as keys
    from (
      select h.shard, nullif(h.route, '') as route, array_agg(h.slot::integer) as slots
      from queue.leaving_home as h
      group by h.shard, h.route
    ) as l
    cross join queue.fleet as f
    cross join unnest(run_ids) as i (run_id)
    cross join lateral (
      select a.run_id, a.workflow_name, a.route, a.idempotency_key, a.superseded_by
      from queue.workflow_run as a
      where a.run_id = i.run_id
      offset 0
    ) as r
    where r.idempotency_key is not null
      and r.superseded_by is null
      and queue._is_of_route(r.route, r.idempotency_key, l.route, l.slots)
    group by l.shard, f.shard
  ) as k;
end
$function$;

comment on function queue._send_arrived_keys(bigint[]) is
$comment$Sends the idempotency keys of runs that have arrived here to the shard that their routes are about to move to: the calls of the move may have gone past their ids.
Touches: as _lock_homes() and _send_item(); reads queue.workflow_run, queue.leaving_home, queue.fleet.$comment$;
