create or replace function queue._free_slots(queue_id integer)
returns text[]
language plpgsql
volatile
-- plans: index, nested loop, generic
as $function$
declare
  v_keys     text[];
  v_admitted bigint;
begin
  with over as materialized (
    select a.run_id, a.key, a.state, a.is_again
    from queue.workflow_admission as a
    where a.queue_id = _free_slots.queue_id
      and a.is_over
    limit 10000
    for update skip locked
  ),
  gone as (
    delete from queue.workflow_admission as a
    using over as o
    where a.run_id = o.run_id
      and not o.is_again
  ),
  retried as (
    update queue.workflow_admission as a
    set state = 'new',
      is_over = false,
      is_again = false
    from over as o
    where a.run_id = o.run_id
      and o.is_again
  ),
  freed as (
    select o.key,
      count(*) filter (where o.state in ('candidate', 'admitted')) as taken,
      count(*) filter (where o.state = 'candidate') as candidates,
      count(*) filter (where o.state = 'admitted') as admitted
    from over as o
    group by o.key
  ),
  counted as (
    update queue.workflow_gate as g
    set taken = g.taken - f.taken,
      candidates = g.candidates - f.candidates
    from freed as f
    -- One index lookup per key, whatever the statistics are.
    cross join lateral (
      select n.ctid as place
      from queue.workflow_gate as n
      where n.queue_id = _free_slots.queue_id
        and n.key = f.key
      limit 1
    ) as o
    where g.ctid = o.place
      and f.key <> ''
  )
  select array_agg(f.key) filter (where f.key <> ''), sum(f.admitted)::bigint
  into v_keys, v_admitted
  from freed as f;

  if v_admitted > 0 then
    update queue.workflow_gate as g
    set taken = g.taken - v_admitted
    where g.queue_id = _free_slots.queue_id
      and g.key = '';
  end if;
  return v_keys;
end
$function$;

comment on function queue._free_slots(integer) is
$comment$Frees the slots of runs that have ended. The caller holds the lock of the admission.
Returns the keys that have more room.
Touches: queue.workflow_admission, queue.workflow_gate.$comment$;
