create or replace function queue.delivery_retry(
  receipt       bigint,
  delay_seconds numeric,
  reason        text default null,
  report        jsonb default null
)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_queue constant queue.queue_settings := queue._internal_queue('__http');
begin
  perform queue._record_deliveries(
    'waiting', array[delivery_retry.receipt], array[coalesce(reason, 'unknown')],
    case when report is not null then array[report] end
  );
  return queue._change_visibility(v_queue, array[delivery_retry.receipt], delay_seconds, false) is not null;
end
$function$;

comment on function queue.delivery_retry(bigint, numeric, text, jsonb) is
$comment$For servers: attempts a delivery again later. This attempt counts.
receipt: as deliveries_receive() returned it. delay_seconds: from now, with fractions.
reason: the failure; at most 1000 characters are kept.
report: for the log of deliveries, as in deliveries_succeeded(); null logs nothing, unless earlier attempts are logged.
Returns true; false if the receipt is dead.
Errors: OX001 no url has been subscribed yet, OX004 invalid argument.
Touches: as change_visibility_batch(), queue __http; queue.logged_delivery.$comment$;
