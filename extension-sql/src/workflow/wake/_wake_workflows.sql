create or replace function queue._wake_workflows(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
begin
  perform queue._wake(queue._workflow_channel(n.workflow_name))
  from (
    select distinct r.workflow_name
    from queue.workflow_run as r
    where r.run_id = any (run_ids)
  ) as n;
end
$function$;

comment on function queue._wake_workflows(bigint[]) is
$comment$Wakes the workers of runs that are now ready.
Touches: as _wake(); reads queue.workflow_run.$comment$;
