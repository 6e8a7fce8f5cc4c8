create or replace function queue._grant_leases(
  lease_seconds numeric[],
  delay_seconds numeric[],
  start_ats     timestamptz[],
  deadlines     timestamptz[],
  flow          jsonb,
  moment        timestamptz
)
returns interval[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_leases constant interval[] := array(
    select case when i.seconds is not null then queue._lease_interval(i.seconds) end
    from unnest(lease_seconds) with ordinality as i (seconds, position)
    order by i.position
  );
begin
  if flow is not null
    or not exists (
      -- As in workflow_receive().
      select
      from queue._own_incarnation() as i
      where i.state in ('live', 'sandbox')
        and i.is_untouched
        and i.is_same_database
        and i.guarded_timeline is null
    )
    and queue._must_hold(false)
  then
    return null;
  end if;
  return array(
    select case
        when (delay_seconds[n] > 0 or start_ats[n] > moment or deadlines[n] <= moment) is not true then v_leases[n]
      end
    from generate_series(1, cardinality(v_leases)) as n
    order by n
  );
end
$function$;

comment on function queue._grant_leases(numeric[], numeric[], timestamptz[], timestamptz[], jsonb, timestamptz) is
$comment$Decides which starts may lease their runs at once. A run may if it would be received at once: it begins now, is not past its deadline, its workflow has no flow control, and the database is not held as a copy.
lease_seconds, delay_seconds, start_ats, deadlines: as in workflow_start_batch().
flow: flow control of the workflow; null for none.
moment: the current time.
Returns the leases by position, null for runs that must wait to be received; null if all must.
Errors: OX004 invalid lease.
Touches: nothing, or as _must_hold().$comment$;
