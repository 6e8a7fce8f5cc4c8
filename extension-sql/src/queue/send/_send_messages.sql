create or replace function queue._send_messages(
  queue    text,
  messages jsonb[],
  delay    interval,
  headers  jsonb[],
  delays   interval[] default null
)
returns bigint[]
language plpgsql
volatile
-- plans: generic
as $function$
declare
  v_msg_ids bigint[];
begin
  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()

  execute format('select queue.%I($1, $2, $3, $4)', '_send_q_' || _send_messages.queue)
  into v_msg_ids
  using messages, delay, headers, delays;

  if v_msg_ids is not null then
    perform queue._wake('queue_' || _send_messages.queue);
  end if;
  return v_msg_ids;
end
$function$;

comment on function queue._send_messages(text, jsonb[], interval, jsonb[], interval[]) is
$comment$Appends messages to a standard queue.
headers: null, or one element per message.
delays: null, or one element per message, which replaces delay.
Returns the message ids, in order; null if there is no message.
Touches: the queue's table; NOTIFY only if a consumer listens, once for all.$comment$;
