create or replace function queue.delivery_abandon(receipt bigint, reason text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return queue._abandon_deliveries(array[delivery_abandon.receipt], array[coalesce(reason, 'unknown')]) is not null;
end
$function$;

comment on function queue.delivery_abandon(bigint, text) is
$comment$For servers: moves a delivery to the dead letters: see topic_dead_letters().
receipt: as returned by deliveries_receive().
reason: the last failure; at most 1000 characters are kept.
Returns true; false if the receipt is dead.
Errors: OX001 no url has been subscribed yet.
Touches: queue __http, as delete_batch(); the table of queue __topic_dead_letters.$comment$;
