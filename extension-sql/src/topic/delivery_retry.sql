create or replace function queue.delivery_retry(receipt bigint, delay_seconds numeric)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return queue._change_visibility(queue._internal_queue('__http'), array[delivery_retry.receipt], delay_seconds, false) is not null;
end
$function$;

comment on function queue.delivery_retry(bigint, numeric) is
$comment$For servers: attempts a delivery again later. This attempt counts.
receipt: as deliveries_receive() returned it. delay_seconds: from now, with fractions.
Returns true; false if the receipt is dead.
Errors: OX001 no url has been subscribed yet, OX004 invalid argument.
Touches: as change_visibility_batch(), queue __http.$comment$;
