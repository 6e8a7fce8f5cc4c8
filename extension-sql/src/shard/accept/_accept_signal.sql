create or replace function queue._accept_signal(body jsonb)
returns text
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_run_id constant bigint := (body ->> 'run')::bigint;
begin
  if not exists (select from queue.workflow_run as r where r.run_id = v_run_id) then
    return queue._forward_item('signal', body);
  end if;
  perform queue.workflow_signal(v_run_id, body ->> 'event', body -> 'payload', body ->> 'deduplicationId');
  return 'ok';
end
$function$;

comment on function queue._accept_signal(jsonb) is
$comment$Sends an event of another shard to a run of this one.
body: as _send_signal() writes it.
Returns ok, also if the run has moved on, and the event follows it; gone if it does not exist, or not any more.
Errors: those of workflow_signal().
Touches: as workflow_signal().$comment$;
