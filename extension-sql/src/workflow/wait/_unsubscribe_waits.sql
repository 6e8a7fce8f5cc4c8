create or replace function queue._unsubscribe_waits(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
begin
  delete from queue.subscription as s
  where s.target_type = 'run'
    and s.target = any (run_ids::text[])
    and (
      exists (
        select
        from queue.workflow_step as w
        where w.run_id = s.target::bigint
          and w.step_name = s.options ->> 'step'
      )
      or not exists (select from queue.workflow_continuation as m where m.msg_id = s.target::bigint)
    );
end
$function$;

comment on function queue._unsubscribe_waits(bigint[]) is
$comment$Ends the subscriptions of runs that have ended, and of steps that no longer wait.
Touches: queue.subscription; reads queue.workflow_continuation and queue.workflow_step.$comment$;
