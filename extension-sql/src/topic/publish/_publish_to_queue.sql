create or replace function queue._publish_to_queue(
  queue   text,
  topic   text,
  message jsonb,
  headers jsonb,
  groups  text[],
  options jsonb[]
)
returns void
language plpgsql
volatile
as $function$
declare
  v_queue constant queue.queue_settings := queue._find_queue(_publish_to_queue.queue);
  v_batch record;
begin
  for v_batch in
    select coalesce((i.options ->> 'delay_seconds')::numeric, v_queue.delay_seconds) as delay_seconds,
      array_agg(_publish_to_queue.message) as messages,
      array_agg(coalesce(i.message_group_id, _publish_to_queue.topic)) as message_group_ids,
      array_agg(_publish_to_queue.headers) as headers
    from unnest(_publish_to_queue.groups, _publish_to_queue.options) as i (message_group_id, options)
    group by 1
    order by 1
  loop
    if v_queue.kind = 'fifo' then
      perform queue._send_to_groups(
        _publish_to_queue.queue, v_batch.messages, v_batch.message_group_ids,
        make_interval(secs => v_batch.delay_seconds::double precision), v_batch.headers
      );
    else
      perform queue._send_messages(
        _publish_to_queue.queue, v_batch.messages, make_interval(secs => v_batch.delay_seconds::double precision),
        v_batch.headers
      );
    end if;
  end loop;
end
$function$;

comment on function queue._publish_to_queue(text, text, jsonb, jsonb, text[], jsonb[]) is
$comment$Sends a message of a topic to a queue, once per subscription.
groups, options: one element per subscription; a null group means the topic.
Touches: as send_batch() or _send_to_groups().$comment$;
