create or replace function queue._run_family(run_id bigint)
returns bigint[]
language plpgsql
stable
-- plans: index
as $function$
begin
  return array(
    with recursive ancestor (run_id, parent_run_id) as (
      select r.run_id, case when not r.is_detached then r.parent_run_id end
      from queue.workflow_run as r
      where r.run_id = _run_family.run_id
      union
      select r.run_id, case when not r.is_detached then r.parent_run_id end
      from ancestor as a
      join queue.workflow_run as r on r.run_id = a.parent_run_id
    ),
    member (run_id) as (
      select a.run_id from ancestor as a
      union
      select r.run_id
      from member as m
      join queue.workflow_run as r on r.parent_run_id = m.run_id
      where not r.is_detached
    )
    select m.run_id from member as m order by m.run_id
  );
end
$function$;

comment on function queue._run_family(bigint) is
$comment$Returns the runs that have to be in one shard with a run, which is one of them: its parents, the runs that its steps have invoked, and so on. Detached ones have separate families.
Returns no rows if the run does not exist.
Touches: nothing; reads queue.workflow_run.$comment$;
