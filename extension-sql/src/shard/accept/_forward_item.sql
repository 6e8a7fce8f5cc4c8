create or replace function queue._forward_item(kind text, body jsonb)
returns text
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_target constant smallint := queue._moved_to((body ->> 'run')::bigint);
begin
  if v_target is null then
    return 'gone';
  end if;
  perform queue._send_item(v_target, kind, null, body);
  return 'ok';
end
$function$;

comment on function queue._forward_item(text, jsonb) is
$comment$Sends an item for a run that is not here to the shard that the run has moved to.
kind, body: as in queue.outbox.
Returns ok; gone if the run has not moved, and so does not exist any more.
Touches: as _send_item().$comment$;
