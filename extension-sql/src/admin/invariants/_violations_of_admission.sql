create or replace function queue._violations_of_admission()
returns setof queue.violation
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
    select 'a run that waits for its turn is running', format('run %s', a.run_id), a.state
    from queue.workflow_admission as a
    where not a.is_over
      and not exists (select from queue.workflow_run as r where r.run_id = a.run_id and r.status = 'running')
    union all
    select 'a gate counts its runs', format('workflow queue %s, key "%s"', g.queue_id, g.key),
      format('%s taken instead of %s, %s candidates instead of %s', g.taken, n.taken, g.candidates, n.candidates)
    from queue.workflow_gate as g
    join queue.queue as q on q.queue_id = g.queue_id
    cross join lateral (
      select
        count(*) filter (where a.state = 'admitted' or g.key <> '' and a.state = 'candidate') as taken,
        count(*) filter (where g.key <> '' and a.state = 'candidate') as candidates
      from queue.workflow_admission as a
      where a.queue_id = g.queue_id
        and (g.key = '' or a.key = g.key)
    ) as n
    where (g.key = '' or q.flow_control ?| '{concurrency_per_key,rate_limit_per_key}')
      and (g.taken, g.candidates) is distinct from (n.taken, n.candidates);
end
$function$;

comment on function queue._violations_of_admission() is
$comment$Returns the broken invariants of flow control.
Returns one row per violation.
Touches: nothing; reads queue.workflow_admission, queue.workflow_gate and queue.workflow_run.$comment$;
