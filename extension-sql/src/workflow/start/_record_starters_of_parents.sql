create or replace function queue._record_starters_of_parents(children bigint[])
returns void
language plpgsql
volatile
-- plans: index, nested loop
as $function$
begin
  insert into queue.workflow_starter (run_id, started_by)
  select c.run_id, s.started_by
  from queue.workflow_run as c
  join queue.workflow_starter as s on s.run_id = c.parent_run_id
  where c.run_id = any (children);
end
$function$;

comment on function queue._record_starters_of_parents(bigint[]) is
$comment$Records the starters of parents as those of their new child runs, which may outlive the link to their parents: by a move to another shard, a retry, the next generation, or a shorter retention.
Touches: queue.workflow_starter; reads queue.workflow_run.$comment$;
