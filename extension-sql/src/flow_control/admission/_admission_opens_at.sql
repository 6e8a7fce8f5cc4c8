create or replace function queue._admission_opens_at(queue_id integer, versions integer[])
returns timestamptz
language plpgsql
stable
-- plans: index, no bitmap, generic
as $function$
begin
  return (
    select min(n.moment)
    from (
      select '-infinity'::timestamptz as moment
      where exists (
        select from queue.workflow_admission as a where a.queue_id = _admission_opens_at.queue_id and a.is_over
      )
      union all
      (
        select g.opens_at
        from queue.workflow_gate as g
        where g.queue_id = _admission_opens_at.queue_id
          and g.opens_at is not null
        order by g.opens_at
        limit 1
      )
      union all
      select f.due_at
      from unnest(versions) as v (version)
      cross join lateral (
        select a.due_at
        from queue.workflow_admission as a
        where a.queue_id = _admission_opens_at.queue_id
          and a.version = v.version
          and a.state = 'new'
          and not a.is_over
        order by a.due_at
        limit 1
      ) as f
      union all
      -- Candidates without such a gate can be admitted as soon as a worker receives.
      select least(first.due_at, clock_timestamp())
      from queue.queue as q
      cross join lateral queue._flow_limits(q.flow_control) as l
      left join queue.workflow_gate as g on g.queue_id = q.queue_id and g.key = ''
      cross join unnest(versions) as v (version)
      cross join lateral (
        select a.due_at
        from queue.workflow_admission as a
        where a.queue_id = q.queue_id
          and a.version = v.version
          and a.state = 'candidate'
          and not a.is_over
        order by a.priority desc, a.due_at, a.run_id
        limit 1
      ) as first
      where q.queue_id = _admission_opens_at.queue_id
        and coalesce(g.taken < l.concurrency, true)
        and g.opens_at is null
    ) as n
  );
end
$function$;

comment on function queue._admission_opens_at(integer, integer[]) is
$comment$Returns when a receive must look at the admission of a workflow.
versions: the versions that the worker serves.
Returns a time, which may have passed; -infinity if slots of ended runs can be freed; null if nothing can begin before another event.
Touches: nothing; reads the first entries of queue.workflow_admission and queue.workflow_gate.$comment$;
