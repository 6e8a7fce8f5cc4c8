create or replace function queue._record_starters(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  insert into queue.workflow_starter (run_id, started_by)
  select r.run_id, (queue._actor()).name
  from unnest(run_ids) as r (run_id);
end
$function$;

comment on function queue._record_starters(bigint[]) is
$comment$Records the actor of the transaction as the starter of new runs, for approvals that exclude starters. Call it only if the setting oxbow.actor names one.
Errors: OX004 invalid setting oxbow.actor.
Touches: queue.workflow_starter.$comment$;
