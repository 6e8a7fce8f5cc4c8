create or replace function queue._sweep_trigger_events(max_events integer, moment timestamptz)
returns integer
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_swept bigint[];
begin
  with expired as materialized (
    select e.event_id
    from queue.trigger_event as e
    where e.expires_at <= moment
    order by e.expires_at
    limit max_events
    for update skip locked
  ),
  swept as (
    delete from queue.trigger_event as e
    where e.event_id in (select expired.event_id from expired)
    returning e.event_id
  )
  select array_agg(swept.event_id) into v_swept from swept;
  delete from queue.trigger_match as m where m.event_id = any (v_swept);
  delete from queue.hook_delivery as y
  where y.ctid in (
    select o.ctid
    from queue.hook_delivery as o
    where o.received_at <= moment - interval '7 days'
    order by o.received_at
    limit max_events
    for update skip locked
  );
  return coalesce(cardinality(v_swept), 0);
end
$function$;

comment on function queue._sweep_trigger_events(integer, timestamptz) is
$comment$Deletes events that have expired, with what became of them. What once_for has started stays known.
Returns how many events were deleted.
Touches: queue.trigger_event (SKIP LOCKED), queue.trigger_match, queue.hook_delivery (SKIP LOCKED).$comment$;
