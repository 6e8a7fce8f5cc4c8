create or replace function queue._send_topic_dead_letters(topic text, message jsonb, headers jsonb, failures jsonb)
returns void
language plpgsql
volatile
as $function$
declare
  v_now    constant timestamptz := clock_timestamp();
  v_strict jsonb;
begin
  select f.value
  into v_strict
  from jsonb_array_elements(failures) as f
  where (f.value ->> 'strict')::boolean
  limit 1;
  if found then
    perform queue._raise(
      'OX004',
      format('subscription %s of %s "%s" cannot take a message of topic "%s": %s', v_strict ->> 'subscription_id',
        v_strict ->> 'target_type', queue._masked_url(v_strict ->> 'target'), topic, v_strict ->> 'reason'),
      'The subscription is strict, so nothing was published.',
      'Publish a message that has a value at every path in the subscription''s options, or subscribe again with other options.'
    );
  end if;

  perform queue._send_messages(
    '__topic_dead_letters',
    array_agg(message),
    '0',
    array_agg(
      headers || jsonb_build_object(
        'dead_letter', f.value - 'strict' || jsonb_build_object('topic', topic, 'dead_lettered_at', v_now)
      )
    )
  )
  from jsonb_array_elements(failures) as f;
end
$function$;

comment on function queue._send_topic_dead_letters(text, jsonb, jsonb, jsonb) is
$comment$Stores a message as a dead letter for each subscription that could not take it, with the reason.
failures: an array of objects with subscription_id, target_type, target and reason, which go into the header, and strict.
Errors: OX004 one of the subscriptions is strict.
Touches: the table of queue __topic_dead_letters.$comment$;
