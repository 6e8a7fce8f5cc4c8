create or replace function queue._is_mark_due(mark queue.queue_mark, received_at timestamptz, received integer)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_age  constant interval := received_at - mark.taken_at;
  v_took constant interval := clock_timestamp() - received_at;
begin
  return case
    when mark.taken_at is null or mark.taken_at > received_at then received > 0
    -- Much was read for little: the mark is far behind.
    when received = 0 then v_took > interval '5 milliseconds' and v_age > interval '1 second'
    when v_took > interval '1500 microseconds' + received * interval '10 microseconds' then v_age > interval '10 milliseconds'
    when v_took > interval '500 microseconds' + received * interval '6 microseconds' then v_age > interval '25 milliseconds'
    -- An occasional message does not wait for a mark each time.
    else v_age > interval '1 second' or v_age > interval '100 milliseconds' and age(mark.horizon::xid) > 30
  end;
end
$function$;

comment on function queue._is_mark_due(queue.queue_mark, timestamptz, integer) is
$comment$Returns whether a receive should advance the mark of its queue. A receive that quickly found nothing should not, so that an idle consumer writes nothing.
received_at: when the receive began.
received: how many messages it found.
Returns true or false.
Touches: nothing.$comment$;
