create or replace function queue._send_signal(
  run_id           bigint,
  event            text,
  payload          jsonb,
  deduplication_id text,
  cause            text default null
)
returns boolean
language plpgsql
volatile
as $function$
declare
  v_target constant smallint := queue._other_shard(run_id);
begin
  if v_target is null then
    return false;
  end if;
  -- A payload that is missing differs from null.
  perform queue._send_item(
    v_target, 'signal', cause,
    jsonb_strip_nulls(jsonb_build_object('run', run_id::text, 'event', event, 'deduplicationId', deduplication_id))
      || case when payload is null then '{}' else jsonb_build_object('payload', payload) end
  );
  return true;
end
$function$;

comment on function queue._send_signal(bigint, text, jsonb, text, text) is
$comment$Sends an event to a run of another shard.
event, payload, deduplication_id: as in workflow_signal(), checked.
cause: as in queue.outbox.
Returns true; false if no other shard has given out the id of the run.
Touches: as _send_item(); reads queue.fleet, queue.fleet_shard.$comment$;
