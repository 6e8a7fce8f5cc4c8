create or replace function queue.deliveries_list(
  before          bigint default null,
  max_deliveries  integer default 100,
  subscription_id bigint default null,
  status          text default null
)
returns setof queue.delivery_entry
language plpgsql
stable
security definer
as $function$
begin
  perform queue._require_current_tables();
  perform queue._check_count(max_deliveries, 'max_deliveries', 10000, 'Request between 1 and 10000 deliveries at a time.');
  if (deliveries_list.status in ('waiting', 'delivered', 'failed')) is false then
    perform queue._raise('OX004', format('invalid status "%s"', left(deliveries_list.status, 100)), null,
      'The status is waiting, delivered or failed; null lists all.');
  end if;
  if to_regclass('queue.q___http') is null then
    return;
  end if;
  -- Conditions that are not given are left out, so that the planner sees which index serves the others.
  return query
    select e.*
    from queue._delivery_entries(
      concat_ws(' and ', 'true',
        case when before is not null then 'l.delivery_id < $2' end,
        case when deliveries_list.subscription_id is not null then 'l.subscription_id = $3' end,
        -- So, and not by a parameter, it matches the condition of the index.
        case when deliveries_list.status is not null then format('l.status = %L', deliveries_list.status) end
      ),
      max_deliveries, before, deliveries_list.subscription_id
    ) as e;
end
$function$;

comment on function queue.deliveries_list(bigint, integer, bigint, text) is
$comment$Lists a page of the log of deliveries to urls, newest first: those that were delivered, wait for another attempt, or have failed for good, with the outcome of the last attempt. A server writes the log, and keeps it for OXBOW_WEBHOOK_LOG_HOURS. A delivery that was never attempted is not in it.
before: delivery_id of the last row of the previous page; null for the first page.
max_deliveries: size of the page, 1 to 10000.
subscription_id: lists deliveries of this subscription; null lists all.
status: waiting, delivered or failed; null lists all.
Returns one row per delivery. Passwords in urls are masked.
Errors: OX004 invalid argument, OX006 the tables are older than the functions.
Touches: nothing; reads queue.logged_delivery, queue.subscription and the table of queue __http.$comment$;
