create or replace function queue._lock_events(
  pool     text,
  receipts bigint[],
  out held       bigint[],
  out attempts   integer[],
  out published  timestamptz[],
  out messages   jsonb[],
  out headers    jsonb[]
)
language plpgsql
volatile
-- plans: index, nested loop
as $function$
declare
  v_table constant regclass := queue._queue_table(queue._trigger_queue(_lock_events.pool));
begin
  -- Locked in a statement of its own: see _lock_messages().
  execute format($sql$
    select array_agg(m.receipt order by m.msg_id), array_agg(m.read_ct order by m.msg_id),
      array_agg(coalesce((h.headers ->> 'published_at')::timestamptz, m.enqueued_at) order by m.msg_id), array_agg(m.message order by m.msg_id),
      array_agg(h.headers order by m.msg_id)
    from %1$s as m
    cross join lateral queue._event_headers(m.headers) as h (headers)
    where m.ctid = any ($1)
  $sql$, v_table)
  into held, attempts, published, messages, headers
  using (queue._lock_messages(v_table, _lock_events.receipts)).places;
end
$function$;

comment on function queue._lock_events(text, bigint[]) is
$comment$Locks events whose leases are alive, and reads them.
Returns them as parallel arrays, in the order of their messages; null if no lease is alive.
Errors: OX001 no worker has declared the pool.
Touches: the table of queue __tr_<pool>, rows by receipt, locked in the order of message ids.$comment$;
