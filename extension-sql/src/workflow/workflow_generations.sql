create or replace function queue.workflow_generations(run_id bigint)
returns setof queue.generation_info
language plpgsql
stable
security definer
-- plans: index
as $function$
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select g.generation, g.workflow_version, g.started_at, g.ended_at, g.steps, g.input
    from queue.workflow_generation as g
    where g.run_id = workflow_generations.run_id
    union all
    select coalesce(r.generation, 1), r.workflow_version,
      coalesce((
        select p.ended_at
        from queue.workflow_generation as p
        where p.run_id = r.run_id
          and p.generation = r.generation - 1
      ), r.started_at),
      r.completed_at, (select count(*)::integer from queue.workflow_step as s where s.run_id = r.run_id), r.input
    from queue.workflow_run as r
    where r.run_id = workflow_generations.run_id
    order by 1;
end
$function$;

comment on function queue.workflow_generations(bigint) is
$comment$Lists the generations of a run, oldest first: the first one, the latest 99 that have ended by ctx.continueAsNew(), and the current one.
Returns one row per generation; no rows if there is no such run.
Touches: nothing; reads queue.workflow_generation, queue.workflow_run and queue.workflow_step.$comment$;
