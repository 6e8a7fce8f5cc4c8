create or replace function queue.send_batch(
  queue         text,
  messages      jsonb[],
  delay_seconds numeric default null,
  headers       jsonb[] default null,
  delays        numeric[] default null
)
returns setof bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_queue constant queue.queue_settings := queue._find_queue(send_batch.queue, 'standard', 'send');
  v_delay constant interval := queue._duration(coalesce(send_batch.delay_seconds, v_queue.delay_seconds), 'delay');
begin
  perform queue._check_messages(send_batch.messages, send_batch.headers);
  return query select unnest(queue._send_messages(
    v_queue.name, send_batch.messages, v_delay, send_batch.headers,
    case
      when send_batch.delays is not null then
        queue._message_delays(send_batch.delays, cardinality(send_batch.messages), v_delay)
    end
  ));
end
$function$;

comment on function queue.send_batch(text, jsonb[], numeric, jsonb[], numeric[]) is
$comment$Sends many messages to a standard queue in one statement, in the caller's transaction.
delay_seconds: how long the messages stay invisible, with fractions; null means the delay of the queue.
headers: null, or one JSON object or null per message.
delays: null, or the delay of each message in seconds; a null among them means delay_seconds.
Returns the messages' ids, in order.
Errors: OX001 no such queue, OX004 invalid argument, OX007 not a standard queue, or one of Oxbow's own, OX008 message too large.
Touches: the queue's table; NOTIFY only if a consumer listens, once for all.$comment$;
