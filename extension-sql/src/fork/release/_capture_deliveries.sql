create or replace function queue._capture_deliveries()
returns bigint
language plpgsql
volatile
as $function$
declare
  v_messages jsonb[];
  v_headers  jsonb[];
begin
  if to_regclass('queue.q___http') is null then
    return 0::bigint;
  end if;
  execute format($sql$
    with taken as (
      delete from %1$s as m
      returning m.msg_id, m.message, m.headers
    )
    select array_agg(t.message order by t.msg_id), array_agg(t.headers order by t.msg_id)
    from taken as t
    where t.message is not null
  $sql$, queue._queue_table('__http'))
  into v_messages, v_headers;

  -- What waited for another attempt is captured, too, and what has an outcome is history of the source.
  delete from queue.logged_delivery as l where l.status = 'waiting';
  insert into queue.captured_delivery (captured_at, subscription_id, url, message, headers)
  select clock_timestamp(), (i.headers ->> 'subscription_id')::bigint, i.headers ->> 'url', i.message, i.headers
  from unnest(v_messages, v_headers) with ordinality as i (message, headers, position)
  order by i.position;
  return coalesce(cardinality(v_messages), 0)::bigint;
end
$function$;

comment on function queue._capture_deliveries() is
$comment$Captures the deliveries to urls that came with a copy.
Returns how many.
Touches: the table of queue __http, queue.captured_delivery, queue.logged_delivery.$comment$;
