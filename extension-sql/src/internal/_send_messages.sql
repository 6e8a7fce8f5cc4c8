create or replace function queue._send_messages(queue text, messages jsonb[], delay interval, headers jsonb[])
returns setof bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()

  return query execute format($sql$
    insert into %1$s as m (visible_at, enqueued_at, message, headers)
    select n.now + $1, n.now, i.message, i.headers
    from (select clock_timestamp()) as n (now)
    cross join unnest($2, $3) with ordinality as i (message, headers, position)
    order by i.position
    returning m.msg_id
  $sql$, queue._queue_table(_send_messages.queue))
  using delay, messages, headers;

  if found then
    perform queue._wake('queue_' || _send_messages.queue);
  end if;
end
$function$;

comment on function queue._send_messages(text, jsonb[], interval, jsonb[]) is
$comment$Appends messages to a standard queue.
headers: null, or one element a message.
Returns the messages' ids, in order.
Touches: the queue's table; NOTIFY only where somebody waits, once for all.$comment$;
