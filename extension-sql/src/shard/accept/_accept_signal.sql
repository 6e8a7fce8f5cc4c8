create or replace function queue._accept_signal(body jsonb)
returns text
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue.workflow_signal((body ->> 'run')::bigint, body ->> 'event', body -> 'payload', body ->> 'deduplicationId');
  return 'ok';
end
$function$;

comment on function queue._accept_signal(jsonb) is
$comment$Sends an event of another shard to a run of this one.
body: as _send_signal() writes it.
Returns ok.
Errors: those of workflow_signal().
Touches: as workflow_signal().$comment$;
