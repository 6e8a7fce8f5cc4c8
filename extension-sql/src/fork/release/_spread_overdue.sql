create or replace function queue._spread_overdue()
returns bigint
language plpgsql
volatile
as $function$
declare
  v_at_once constant bigint := 1000::bigint;
  v_within  constant interval := interval '1 minute';
  v_now     constant timestamptz := clock_timestamp();
  v_overdue constant bigint := (
    select count(*) from queue.workflow_continuation as m where m.visible_at <= v_now
  );
begin
  if v_overdue <= v_at_once then
    return 0::bigint;
  end if;
  update queue.workflow_continuation as m
  set visible_at = v_now + v_within * (o.place::double precision / v_overdue)
  from (
    select d.msg_id, row_number() over (order by d.visible_at, d.msg_id) as place
    from queue.workflow_continuation as d
    where d.visible_at <= v_now
  ) as o
  where m.msg_id = o.msg_id;
  return v_overdue;
end
$function$;

comment on function queue._spread_overdue() is
$comment$Spreads runs that are due over a minute, oldest first, if there are more than 1000.
Returns how many it postponed.
Touches: queue.workflow_continuation, which the caller has locked.$comment$;
