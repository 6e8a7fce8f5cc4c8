create or replace function queue._sort_arrivals(
  queue_id integer,
  versions integer[],
  limits   queue.flow_limits,
  moment   timestamptz
)
returns text[]
language plpgsql
volatile
-- plans: index, no bitmap, generic
as $function$
declare
  v_is_keyed constant boolean := (limits).key_concurrency is not null or (limits).key_spacing is not null;
  v_keys     text[];
begin
  with arrived as materialized (
    select a.run_id
    from unnest(versions) as v (version)
    cross join lateral (
      select n.run_id
      from queue.workflow_admission as n
      where n.queue_id = _sort_arrivals.queue_id
        and n.version = v.version
        and n.state = 'new'
        and not n.is_over
        and n.due_at <= moment
      order by n.due_at
      limit 500
      for no key update skip locked
    ) as a
  ),
  sorted as (
    update queue.workflow_admission as a
    set state = case when v_is_keyed and a.key <> '' then 'waiting' else 'candidate' end
    from arrived
    where a.run_id = arrived.run_id
    returning a.key, a.state
  )
  select array_agg(distinct s.key) into v_keys
  from sorted as s
  where s.state = 'waiting';
  return v_keys;
end
$function$;

comment on function queue._sort_arrivals(integer, integer[], queue.flow_limits, timestamptz) is
$comment$Places runs that have become due in the list of their key, or among the candidates. The caller holds the lock of the admission.
Returns the keys that have more waiting runs.
Touches: queue.workflow_admission.$comment$;
