create or replace function queue._notify_worker(name text, run_id bigint)
returns void
language plpgsql
volatile
as $function$
begin
  perform pg_notify(queue._worker_channel(name), run_id::text);
end
$function$;

comment on function queue._notify_worker(text, bigint) is
$comment$Notifies the worker that has leased a run that the run was cancelled, paused or signalled, so that it does not have to wait for its next heartbeat.
Touches: NOTIFY, at every call; only for rare events.$comment$;
