create or replace function queue._promote_runs(
  queue_id integer,
  limits   queue.flow_limits,
  keys     text[],
  moment   timestamptz
)
returns void
language plpgsql
volatile
-- plans: index, no bitmap, nested loop, generic
as $function$
begin
  with room as (
    select k.key, least(
        coalesce((limits).key_concurrency - coalesce(g.taken, 0), 2147483647),
        -- A candidate uses the rate when it is admitted.
        queue._rate_room(g.filled_at, (limits).key_spacing, (limits).key_burst, moment) - coalesce(g.candidates, 0)
      ) as runs
    from (select distinct u.key from unnest(keys) as u (key) where u.key <> '') as k
    -- One index lookup per key, whatever the statistics are.
    left join lateral (
      select o.taken, o.candidates, o.filled_at
      from queue.workflow_gate as o
      where o.queue_id = _promote_runs.queue_id
        and o.key = k.key
      limit 1
    ) as g on true
  ),
  chosen as materialized (
    select w.run_id
    from room as r
    cross join lateral (
      select a.run_id
      from queue.workflow_admission as a
      where a.queue_id = _promote_runs.queue_id
        and a.key = r.key
        and a.state = 'waiting'
        and not a.is_over
      order by a.priority desc, a.due_at, a.run_id
      limit greatest(r.runs, 0)
      for no key update skip locked
    ) as w
    where r.runs > 0
  ),
  promoted as (
    update queue.workflow_admission as a
    set state = 'candidate'
    from chosen as c
    where a.run_id = c.run_id
    returning a.key
  )
  insert into queue.workflow_gate as g (queue_id, taken, candidates, key)
  select _promote_runs.queue_id, count(*), count(*), p.key
  from promoted as p
  group by p.key
  on conflict on constraint workflow_gate_pkey do update
  set taken = g.taken + excluded.taken,
    candidates = g.candidates + excluded.candidates;
end
$function$;

comment on function queue._promote_runs(integer, queue.flow_limits, text[], timestamptz) is
$comment$Promotes waiting runs to candidates, as many as the limits of their keys allow. The caller holds the lock of the admission.
keys: the keys for which something has changed.
Touches: queue.workflow_admission, queue.workflow_gate.$comment$;
