create or replace function queue._publish_to_definitions(pool text, topic text, message jsonb, headers jsonb)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  perform queue._send_messages(
    queue._trigger_queue(pool), array[message], '0',
    array[
      headers || jsonb_build_object(
        'topic', topic,
        'event_id', nextval('queue.trigger_event_event_id_seq'),
        'depth', queue._publishing_depth()
      )
    ]
  );
end
$function$;

comment on function queue._publish_to_definitions(text, text, jsonb, jsonb) is
$comment$Sends a message of a topic to the workers of a pool, once for all triggers that want it.
Touches: as send_batch(), queue __tr_<pool>.$comment$;
