create or replace function queue._end_generations(run_ids bigint[], ended_at timestamptz)
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  with deleted as (
    delete from queue.workflow_step as s
    where s.run_id = any (run_ids)
    returning s.run_id
  ),
  counted as (
    select d.run_id, count(*)::integer as steps
    from deleted as d
    group by d.run_id
  )
  insert into queue.workflow_generation (run_id, started_at, ended_at, generation, workflow_version, steps, input)
  select r.run_id, coalesce(p.ended_at, r.started_at), _end_generations.ended_at, coalesce(r.generation, 1),
    r.workflow_version, coalesce(c.steps, 0), r.input
  from queue.workflow_run as r
  left join counted as c on c.run_id = r.run_id
  left join queue.workflow_generation as p
    on p.run_id = r.run_id
    and p.generation = r.generation - 1
  where r.run_id = any (run_ids);

  -- The first shows what the run was started with. The number of the others is bounded, since the run may never end.
  delete from queue.workflow_generation as g
  using queue.workflow_run as r
  where r.run_id = any (run_ids)
    and g.run_id = r.run_id
    and g.generation between 2 and r.generation - 99;
end
$function$;

comment on function queue._end_generations(bigint[], timestamptz) is
$comment$Deletes the journals of runs that continue as new, and records their ended generations, of which the first and the latest 99 are kept.
Touches: queue.workflow_step, queue.workflow_generation; reads queue.workflow_run.$comment$;
