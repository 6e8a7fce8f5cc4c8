create or replace function queue._wake_run_waiters(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform pg_notify('workflow_ended', i.run_id::text)
  from unnest(run_ids) as i (run_id)
  where queue._is_awaited('workflow_run_' || i.run_id);
end
$function$;

comment on function queue._wake_run_waiters(bigint[]) is
$comment$Tells those who wait for the end of a run. They listen on workflow_ended, and hold a shared advisory lock on the key of workflow_run_<run_id>.
Touches: advisory locks, given back at once; NOTIFY only for runs that somebody waits for.$comment$;
