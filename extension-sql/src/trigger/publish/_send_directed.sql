create or replace function queue._send_directed(definition_id bigint, trigger_name text, message jsonb)
returns bigint
language plpgsql
volatile
as $function$
declare
  v_trigger record;
begin
  select d.name, t.pool, t.pattern into v_trigger
  from queue.definition_trigger as t
  join queue.definition as d on d.definition_id = t.definition_id
  where t.definition_id = _send_directed.definition_id
    and t.name = _send_directed.trigger_name
  -- A publication that moves the definition to another pool waits, and then moves the event as well.
  for share of t;
  if not found then
    return null;
  end if;
  return queue._publish_to_definitions(
    v_trigger.pool, v_trigger.pattern, message,
    jsonb_build_object('only', jsonb_build_object('definition', v_trigger.name, 'trigger', trigger_name)),
    null
  );
end
$function$;

comment on function queue._send_directed(bigint, text, jsonb) is
$comment$Sends an event to one trigger, which the clock or a webhook has set off.
Returns its event_id; null if the trigger is not in force.
Touches: queue.definition_trigger, its row (shared lock); reads queue.definition; as _publish_to_definitions().$comment$;
