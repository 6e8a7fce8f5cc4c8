create or replace function queue.send_topic(topic text, message jsonb, headers jsonb default null)
returns integer
language plpgsql
volatile
security definer
as $function$
declare
  v_subscriptions bigint[];
begin
  perform queue._ensure_migrated();
  perform queue._check_topic(topic, false);
  if starts_with(topic, 'oxbow.') is not false then
    perform queue._raise('OX004', format('topic "%s" belongs to Oxbow', topic), null,
      'Topics that begin with "oxbow." carry events of Oxbow. Subscribe to them, but publish to another topic.');
  end if;
  perform queue._check_messages(array[message], array[headers]);

  v_subscriptions := queue._subscriptions_for(topic, message);
  if v_subscriptions = '{}' then
    return 0;
  end if;
  return queue._publish(topic, message, headers, v_subscriptions);
end
$function$;

comment on function queue.send_topic(text, jsonb, jsonb) is
$comment$Publishes a message in the caller's transaction: when it commits, each subscription whose pattern matches the topic and whose filter matches the message gets a copy. If a subscription cannot take the message, for example because a path is missing, it becomes a dead letter, unless the subscription is strict. The cost depends on the subscriptions that match, not on how many exist.
topic: words separated by ".", the first of which is not "oxbow".
headers: a JSON object; the header "topic" is added.
Returns how many subscriptions it reached: messages sent, deliveries queued, and runs started or already existing by once_for.
Errors: OX004 invalid argument, or a strict subscription cannot take the message; OX008 message too large.
Touches: reads queue.subscription; then as send_batch(), send_fifo() and workflow_start_batch(), targets in the order of their names.$comment$;
