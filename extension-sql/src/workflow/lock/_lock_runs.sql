create or replace function queue._lock_runs(run_ids bigint[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  perform m.msg_id
  from queue.workflow_continuation as m
  where m.msg_id = any (run_ids)
  order by m.msg_id
  for no key update;
end
$function$;

comment on function queue._lock_runs(bigint[]) is
$comment$Locks the continuations of runs in the order that commits use. Ended runs have no continuation.
Touches: queue.workflow_continuation (waits).$comment$;
