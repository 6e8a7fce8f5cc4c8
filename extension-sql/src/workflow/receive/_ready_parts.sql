create or replace function queue._ready_parts(names text[], versions jsonb, read_at timestamptz)
returns queue.ready_parts
language plpgsql
stable
-- plans: index, nested loop, generic
as $function$
declare
  v_parts queue.ready_parts;
begin
  -- In the order of the parts, which the join keeps: DISTINCT in an aggregate would sort them all.
  select array_agg(p.queue_id), array_agg(p.version), array_agg(p.name),
    array_agg(case when m.taken_at <= read_at then m.ready_from else '-infinity' end),
    array_agg(row(m.mark_id, m.taken_at, m.ready_from, m.swept_at, m.sweep_took, m.horizon)::queue.queue_mark),
    array_agg(p.queue_id) filter (where p.is_limited)
  into v_parts
  from (
    select q.queue_id, q.name, v.version, q.flow_control is not null as is_limited
    from unnest(names) with ordinality as n (name, position)
    join queue.queue as q on q.name = '__wf_' || n.name
    cross join lateral unnest(
      coalesce(queue._served_versions(versions, n.name), queue._present_versions(q.queue_id))
    ) with ordinality as v (version, position)
    group by q.queue_id, q.name, v.version, q.flow_control is not null
    order by min(n.position), min(v.position)
  ) as p
  left join lateral (
    select r.mark_id, r.taken_at, r.ready_from, r.swept_at, r.sweep_took, r.horizon
    from queue.ready_mark as r
    where r.queue_name = p.name
      and r.part = p.version
    order by r.mark_id desc
    limit 1
  ) as m on true;
  return v_parts;
end
$function$;

comment on function queue._ready_parts(text[], jsonb, timestamptz) is
$comment$Returns the ranges of the ready index that a worker serves, each from its mark on.
names: workflows, in order of preference; one that was never started is left out.
versions: as in workflow_receive().
Returns parallel arrays; null instead of an empty array.
Touches: nothing; reads queue.queue, queue.ready_mark and, if any version is served, queue.workflow_continuation.$comment$;
