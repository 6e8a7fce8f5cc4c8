create or replace function queue.trigger_hook_receive(hook_id text, message jsonb, delivery_id text default null)
returns setof queue.received_hook
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_hash     bytea;
  v_hook     record;
  v_event_id bigint;
begin
  perform queue._ensure_migrated();
  if message is null then
    perform queue._raise('OX004', 'message is null', null, 'For an empty message, pass JSON null or {}.');
  end if;
  -- The server has measured what was sent: as text, jsonb has spaces, and numbers without exponents.
  if (octet_length(message::text) <= 16777216) is not true then
    perform queue._raise('OX008', format('event of %s bytes is too large', octet_length(message::text)), null,
      'A webhook delivers at most 1 MiB.');
  end if;
  select h.definition_id, h.trigger_name into v_hook
  from queue.definition_hook as h
  join queue.definition_trigger as t
    on t.definition_id = h.definition_id
    and t.name = h.trigger_name
    and t.kind = 'webhook'
  where h.hook_id = trigger_hook_receive.hook_id;
  if not found then
    return;
  end if;
  if delivery_id is not null then
    v_hash := sha256(convert_to(delivery_id, 'UTF8'));
    insert into queue.hook_delivery (received_at, event_id, hook_id, delivery_hash)
    values (clock_timestamp(), 0, trigger_hook_receive.hook_id, v_hash)
    on conflict on constraint hook_delivery_pkey do nothing;
    -- A conflicting insert has waited for the other transaction.
    if not found then
      return query
        select y.event_id, false
        from queue.hook_delivery as y
        where y.hook_id = trigger_hook_receive.hook_id
          and y.delivery_hash = v_hash;
      return;
    end if;
  end if;
  v_event_id := queue._send_directed(v_hook.definition_id, v_hook.trigger_name, message);
  -- The trigger has left since it was found.
  if v_event_id is null then
    delete from queue.hook_delivery as y
    where y.hook_id = trigger_hook_receive.hook_id
      and y.delivery_hash = v_hash;
    return;
  end if;
  update queue.hook_delivery as y
  set event_id = v_event_id
  where y.hook_id = trigger_hook_receive.hook_id
    and y.delivery_hash = v_hash;
  return query select v_event_id, true;
end
$function$;

comment on function queue.trigger_hook_receive(text, jsonb, text) is
$comment$For servers: receives a delivery to a webhook trigger, whose signature the server has verified, as an event of the trigger.
message: the event, at most 16 MiB as text. delivery_id: the identity of the delivery, as the sender or the server derives it; a second one with the same id within 7 days is the same event. With null, each delivery is an event.
Returns the event; no row if no such trigger is in force.
Errors: OX004 the message is null, OX008 it is too large.
Touches: queue.hook_delivery, as its key (waits for a delivery with the same id); as send_batch(), queue __tr_<pool>; reads queue.definition_hook, queue.definition_trigger.$comment$;
