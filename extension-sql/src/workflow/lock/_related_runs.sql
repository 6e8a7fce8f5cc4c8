create or replace function queue._related_runs(run_ids bigint[])
returns bigint[]
language plpgsql
stable
-- plans: index
as $function$
begin
  return array(
    with recursive tree (run_id) as (
      select r.run_id
      from queue.workflow_run as r
      where r.run_id = any (_related_runs.run_ids)
        and r.status = 'running'
      union
      select c.run_id
      from tree
      join queue.workflow_run as c on c.parent_run_id = tree.run_id
      where c.status = 'running'
        and not c.is_detached
    )
    select tree.run_id from tree
    union
    select r.parent_run_id
    from queue.workflow_run as r
    where r.run_id = any (_related_runs.run_ids)
      and r.parent_run_id is not null
  );
end
$function$;

comment on function queue._related_runs(bigint[]) is
$comment$Returns those of the runs that are running, the running runs that they and their children wait for, and their parents.
Touches: nothing; reads queue.workflow_run.$comment$;
