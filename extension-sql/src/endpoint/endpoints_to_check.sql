create or replace function queue.endpoints_to_check(max integer default 10)
returns setof queue.push_target
language plpgsql
volatile
security definer
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  perform queue._check_count(max, 'max', 1000, 'Check between 1 and 1000 endpoints at a time.');
  if not queue._migrate_if_older() then
    return;
  end if;
  if not exists (select from queue.endpoint as e where e.check_at <= v_now) or queue._must_hold(false) then
    return;
  end if;
  perform queue._remove_replaced_endpoints(v_now);
  return query
    update queue.endpoint as e
    set check_at = v_now + interval '1 minute'
    where e.endpoint_id = any (array(
        select d.endpoint_id
        from queue.endpoint as d
        where d.check_at <= v_now
        order by d.check_at, d.endpoint_id
        limit endpoints_to_check.max
        for no key update skip locked
      ))
    returning e.endpoint_id, e.url, e.concurrency, e.max_duration_ms, e.serves;
end
$function$;

comment on function queue.endpoints_to_check(integer) is
$comment$For servers: takes endpoints whose check is due, so that no other server checks them within a minute. Each check ends with endpoint_checked() or endpoint_failed(); one that ends with neither is due again after that minute. Removes endpoints that are due and no longer needed: a newer endpoint has served each of their workflows, in the same version or a later one, for a day, and their runs have ended.
max: bound of one call, 1 to 1000.
Returns the endpoints, in no order; an empty set while the database is held as a copy: see release_incarnation().
Errors: OX004 invalid argument.
Touches: queue.endpoint (SKIP LOCKED); queue.audit; reads queue.workflow_continuation.$comment$;
