create or replace function queue._message_delays(delays numeric[], messages integer, delay interval)
returns interval[]
language plpgsql
immutable
parallel safe
as $function$
begin
  if delays is null then
    return null;
  end if;
  if (cardinality(delays) = messages) is not true then
    perform queue._raise('OX004', format('%s delays for %s messages', cardinality(delays), messages), null,
      'Pass no delays, or one element per message.');
  end if;
  return array(
    select case when d.seconds is null then _message_delays.delay else queue._duration(d.seconds, 'delay') end
    from unnest(delays) with ordinality as d (seconds, position)
    order by d.position
  );
end
$function$;

comment on function queue._message_delays(numeric[], integer, interval) is
$comment$Checks the delays of messages that are sent together.
delays: seconds, one element per message; null for delay.
delay: of the call or else of the queue, as send_batch() and others have resolved it.
messages: how many there are.
Returns the delays; null if delays is null.
Errors: OX004 invalid argument.$comment$;
