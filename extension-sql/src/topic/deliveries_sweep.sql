create or replace function queue.deliveries_sweep(
  retention_hours integer,
  max_deliveries  integer default 10000,
  after           bigint default 0
)
returns queue.swept_deliveries
language plpgsql
volatile
security definer
-- plans: index, nested loop
as $function$
declare
  v_cutoff timestamptz;
  v_swept  queue.swept_deliveries;
begin
  if (retention_hours between 0 and 876000) is not true then
    perform queue._raise('OX004', format('invalid retention of %s hours', coalesce(retention_hours::text, 'null')), null,
      'The log of deliveries is kept for 0 to 876000 hours.');
  end if;
  perform queue._check_count(max_deliveries, 'max_deliveries', 100000, 'Sweep between 1 and 100000 deliveries at a time.');
  v_swept.swept := 0;
  if not queue._migrate_if_older() then
    return v_swept;
  end if;
  v_cutoff := clock_timestamp() - make_interval(hours => retention_hours);

  -- Ids are drawn when messages are published, and a delivery ends after that: behind one that was published after the
  -- cutoff, no delivery has expired.
  with page as materialized (
    select l.delivery_id, l.published_at, l.status <> 'waiting' and l.attempted_at < v_cutoff as is_expired
    from queue.logged_delivery as l
    where l.delivery_id > coalesce(deliveries_sweep.after, 0)
    order by l.delivery_id
    limit max_deliveries
  ),
  expired as materialized (
    select l.delivery_id
    from queue.logged_delivery as l
    where l.delivery_id = any (array(select p.delivery_id from page as p where p.is_expired))
    order by l.delivery_id
    for update skip locked
  ),
  deleted as (
    delete from queue.logged_delivery as l
    using expired
    where l.delivery_id = expired.delivery_id
    returning l.delivery_id
  )
  select (select count(*)::integer from deleted),
    (
      select max(p.delivery_id)
      from page as p
      having count(*) = max_deliveries
        and max(p.published_at) < v_cutoff
    )
  into v_swept.swept, v_swept.until;
  return v_swept;
end
$function$;

comment on function queue.deliveries_sweep(integer, integer, bigint) is
$comment$Deletes deliveries from the log that were delivered, or failed for good, longer ago than the retention. A server calls it with OXBOW_WEBHOOK_LOG_HOURS. Concurrent sweepers share the work.
retention_hours: 0 to 876000.
max_deliveries: how many one call reads, 1 to 100000.
after: the result until of the call before; 0 for the first. Deliveries that still wait are thus read once a sweep.
Returns how many were deleted, and where the next call continues; null if nothing is left to sweep.
Errors: OX004 invalid argument.
Touches: queue.logged_delivery (SKIP LOCKED).$comment$;
