create or replace function queue.deliveries_get(delivery_id bigint)
returns setof queue.delivery_details
language plpgsql
stable
security definer
-- plans: index
as $function$
begin
  perform queue._require_current_tables();
  if to_regclass('queue.q___http') is null then
    return;
  end if;
  return query execute format($sql$
    select e.*, l.response, coalesce(l.message, m.message), l.headers - array['topic', 'webhook_id'],
      coalesce(l.earlier_attempts, '[]')
    from queue._delivery_entries('l.delivery_id = $2', 1, $1, null) as e
    join queue.logged_delivery as l
      on l.delivery_id = e.delivery_id
    left join %1$s as m
      on l.status = 'waiting'
      and m.msg_id = e.delivery_id
  $sql$, queue._queue_table('__http'))
  using deliveries_get.delivery_id;
end
$function$;

comment on function queue.deliveries_get(bigint) is
$comment$Reads a delivery of the log: see deliveries_list().
delivery_id: as returned by deliveries_list().
Returns its row with the message and all attempts; no row if the log does not have it, or no longer.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.logged_delivery, queue.subscription and the table of queue __http.$comment$;
