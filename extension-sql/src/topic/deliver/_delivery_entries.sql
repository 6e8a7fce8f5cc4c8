create or replace function queue._delivery_entries(condition text, max_deliveries integer, before bigint, subscription_id bigint)
returns setof queue.delivery_entry
language plpgsql
stable
-- plans: index
as $function$
begin
  return query execute format($sql$
    select l.delivery_id, l.subscription_id, s.pattern, queue._masked_url(s.target), l.headers ->> 'topic',
      queue._webhook_id(l.headers, l.published_at, l.delivery_id), l.status, l.attempts, l.published_at, l.attempted_at,
      m.visible_at, l.duration_ms, l.status_code, l.failure
    from queue.logged_delivery as l
    left join queue.subscription as s
      on s.subscription_id = l.subscription_id
    -- A message that was received since is being sent, unless its lease has expired: its time is the end of the lease.
    left join %1$s as m
      on l.status = 'waiting'
      and m.msg_id = l.delivery_id
      and (m.receipt is null or m.receipt = l.receipt or m.visible_at <= clock_timestamp())
      and m.visible_at < 'infinity'
    where %2$s
    order by l.delivery_id desc
    limit $1
  $sql$, queue._queue_table('__http'), condition)
  using max_deliveries, before, _delivery_entries.subscription_id;
end
$function$;

comment on function queue._delivery_entries(text, integer, bigint, bigint) is
$comment$Reads the log of deliveries.
condition: SQL on row l of queue.logged_delivery, with $2 for before and $3 for subscription_id.
Returns at most max_deliveries rows, newest first.
Errors: OX001 no url has been subscribed yet.
Touches: nothing; reads queue.logged_delivery, queue.subscription and the table of queue __http.$comment$;
