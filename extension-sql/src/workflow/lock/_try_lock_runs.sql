create or replace function queue._try_lock_runs(run_ids bigint[])
returns bigint[]
language plpgsql
volatile
-- plans: index
as $function$
begin
  return array(
    select m.msg_id
    from queue.workflow_continuation as m
    where m.msg_id = any (run_ids)
    for no key update skip locked
  );
end
$function$;

comment on function queue._try_lock_runs(bigint[]) is
$comment$Does what _lock_runs() does, without waiting.
Returns the runs that are now locked.
Touches: queue.workflow_continuation (SKIP LOCKED).$comment$;
