create or replace function queue.send(
  queue         text,
  message       jsonb,
  delay_seconds numeric default null,
  headers       jsonb default null
)
returns bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_queue    constant queue.queue_settings := queue._find_queue(send.queue, 'standard', 'send');
  v_delay    constant interval := queue._duration(coalesce(send.delay_seconds, v_queue.delay_seconds), 'delay');
  v_messages constant jsonb[] := array[send.message];
  v_headers  constant jsonb[] := array[send.headers];
begin
  perform queue._check_messages(v_messages, v_headers);
  return (queue._send_messages(v_queue.name, v_messages, v_delay, v_headers))[1];
end
$function$;

comment on function queue.send(text, jsonb, numeric, jsonb) is
$comment$Sends a message to a standard queue, in the caller's transaction: consumers can receive it once that commits.
delay_seconds: how long the message stays invisible, with fractions; null means the delay of the queue.
headers: a JSON object that describes the message.
Returns the message's id.
Errors: OX001 no such queue, OX004 invalid argument, OX007 not a standard queue, or one of Oxbow's own, OX008 message too large.
Touches: the queue's table; NOTIFY only if a consumer listens.$comment$;
