create or replace function queue._wake_workflows(run_ids bigint[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  perform queue._wake('queue_' || n.name)
  from (
    select distinct q.name
    from queue.workflow_continuation as m
    join queue.queue as q on q.queue_id = m.queue_id
    where m.msg_id = any (run_ids)
  ) as n;
end
$function$;

comment on function queue._wake_workflows(bigint[]) is
$comment$Wakes the workers of runs that are now ready.
Touches: as _wake(); reads queue.workflow_continuation.$comment$;
