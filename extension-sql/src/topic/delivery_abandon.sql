create or replace function queue.delivery_abandon(receipt bigint, reason text, report jsonb default null)
returns boolean
language plpgsql
volatile
security definer
as $function$
begin
  return queue._abandon_deliveries(
    array[delivery_abandon.receipt], array[coalesce(reason, 'unknown')], array[report]
  ) is not null;
end
$function$;

comment on function queue.delivery_abandon(bigint, text, jsonb) is
$comment$For servers: moves a delivery to the dead letters: see topic_dead_letters().
receipt: as returned by deliveries_receive().
reason: the last failure; at most 1000 characters are kept.
report: for the log of deliveries, as in deliveries_succeeded(); null logs nothing, unless earlier attempts are logged.
Returns true; false if the receipt is dead.
Errors: OX001 no url has been subscribed yet.
Touches: queue __http, as delete_batch(); the table of queue __topic_dead_letters; queue.logged_delivery.$comment$;
