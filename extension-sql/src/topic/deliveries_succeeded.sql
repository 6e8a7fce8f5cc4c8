create or replace function queue.deliveries_succeeded(subscription_ids bigint[], receipts bigint[])
returns setof bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  with failing as materialized (
    select s.subscription_id
    from queue.subscription as s
    where s.subscription_id = any (subscription_ids)
      and s.failing_since is not null
      and s.disabled_at is null
    order by s.subscription_id
    for no key update
  )
  update queue.subscription as s
  set failing_since = null
  from failing
  where s.subscription_id = failing.subscription_id
    and s.disabled_at is null;
  return query
    select d.receipt from queue.delete_batch('__http', receipts) as d (receipt);
end
$function$;

comment on function queue.deliveries_succeeded(bigint[], bigint[]) is
$comment$For servers: takes deliveries that their urls have answered out of the queue __http, and notes that the subscriptions are well.
receipts: of the deliveries, as receive() returned them.
Returns the receipts that were alive, in no order; the others are sent again.
Errors: OX001 nobody has subscribed a url yet.
Touches: queue.subscription, those that were failing, in the order of their ids; as delete_batch(), queue __http.$comment$;
