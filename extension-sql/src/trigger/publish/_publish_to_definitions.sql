create or replace function queue._publish_to_definitions(
  pool     text,
  topic    text,
  message  jsonb,
  headers  jsonb,
  event_id bigint
)
returns bigint
language plpgsql
volatile
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_depth integer;
  v_ends  integer;
begin
  select p.depth, p.ends into v_depth, v_ends
  from queue._publishing_depth() as p;
  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  if event_id is null then
    event_id := nextval('queue.trigger_event_event_id_seq');
  end if;
  if v_depth > 10 then
    insert into queue.trigger_event (
      event_id, published_at, evaluated_at, expires_at, attempts, depth, pool, topic, state, error, message, headers
    )
    values (
      _publish_to_definitions.event_id, v_now, v_now, v_now + interval '7 days', 0, v_depth, _publish_to_definitions.pool, _publish_to_definitions.topic,
      'refused', format('%s runs that triggers started led to the event', v_depth), _publish_to_definitions.message,
      _publish_to_definitions.headers
    )
    on conflict on constraint trigger_event_pkey do nothing;
    return event_id;
  end if;
  perform queue._send_messages(
    queue._trigger_queue(pool), array[message], '0',
    array[
      headers || jsonb_build_object(
        'topic', topic,
        'event_id', event_id,
        'depth', v_depth,
        'ends', v_ends
      )
    ]
  );
  return event_id;
end
$function$;

comment on function queue._publish_to_definitions(text, text, jsonb, jsonb, bigint) is
$comment$Sends a message of a topic to the workers of a pool, once for all triggers that want it. An event to which more than 10 runs have led that triggers started is recorded as refused instead: triggers may start each other in a circle.
event_id: of the event that another pool has received by the same publish, so that a definition which moves between the pools starts one run; null draws one.
Returns the event_id.
Touches: as send_batch(), queue __tr_<pool>; or queue.trigger_event.$comment$;
