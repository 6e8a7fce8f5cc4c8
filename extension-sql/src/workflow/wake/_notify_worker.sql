create or replace function queue._notify_worker(name text, run_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform pg_notify(queue._workflow_channel(name), run_id::text);
end
$function$;

comment on function queue._notify_worker(text, bigint) is
$comment$Tells the worker that has leased a run that the run was cancelled or signalled, so that it needn't wait for its next heartbeat to learn it.
Touches: NOTIFY, at every call: for what happens rarely.$comment$;
