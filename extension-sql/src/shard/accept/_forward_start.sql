create or replace function queue._forward_start(body jsonb)
returns text
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_target smallint;
begin
  select k.shard into v_target
  from queue.key_elsewhere as k
  where k.workflow_name = body ->> 'workflow'
    and k.idempotency_key = body ->> 'key';
  if not found then
    -- The run has come back in the meantime.
    return queue._accept_start(body);
  end if;
  perform queue._send_item(v_target, 'start', null, body);
  return 'ok';
end
$function$;

comment on function queue._forward_start(jsonb) is
$comment$Sends a start whose idempotency key has left with its run to the shard that the run has moved to. If the run is back, the start takes place here.
body: as workflow_start_elsewhere() writes it.
Returns ok.
Errors: those of workflow_start(), if it takes place here.
Touches: as _send_item(), or as workflow_start(); reads queue.key_elsewhere.$comment$;
