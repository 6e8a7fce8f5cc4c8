create or replace function queue.captured_deliveries(
  after          bigint default 0,
  max_deliveries integer default 100
)
returns setof queue.captured_message
language plpgsql
stable
security definer
-- plans: index
as $function$
declare
  v_is_masked constant boolean := not queue._is_administrator();
begin
  perform queue._check_count(max_deliveries, 'max_deliveries', 10000, 'Request between 1 and 10000 deliveries at a time.');
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select c.capture_id, c.captured_at, c.subscription_id,
      case when v_is_masked then queue._masked_url(c.url) else c.url end,
      c.headers ->> 'topic', c.message,
      case
        when v_is_masked and c.url is not null then
          c.headers || jsonb_build_object('url', queue._masked_url(c.url))
        else c.headers
      end,
      c.run_id
    from queue.captured_delivery as c
    where c.capture_id > coalesce(captured_deliveries.after, 0)
    order by c.capture_id
    limit max_deliveries;
end
$function$;

comment on function queue.captured_deliveries(bigint, integer) is
$comment$Lists what a sandbox would have sent to urls, in order.
after: capture_id of the last row of the previous page; 0 for the first page.
max_deliveries: size of the page, 1 to 10000.
Returns one row per delivery to a url of a subscription, and per request of a definition. Passwords in urls are masked except for oxbow_admin.
Errors: OX004 invalid argument, OX006 the tables are older than the functions.
Touches: nothing; reads queue.captured_delivery.$comment$;
