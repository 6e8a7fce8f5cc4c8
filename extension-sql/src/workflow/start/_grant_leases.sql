create or replace function queue._grant_leases(
  run_ids       bigint[],
  lease_seconds numeric[],
  delay_seconds numeric[],
  start_ats     timestamptz[],
  deadlines     timestamptz[],
  flow          jsonb,
  moment        timestamptz
)
returns bigint[]
language plpgsql
volatile
-- plans: index, generic
as $function$
declare
  v_is_at_home boolean;
  v_receipts   bigint[];
begin
  if 0 >= any (lease_seconds) or 43200 < any (lease_seconds) then
    perform queue._lease_interval(i.seconds) from unnest(lease_seconds) as i (seconds) where i.seconds is not null;
  end if;
  if flow is not null then
    return null;
  end if;
  select
    exists (select from queue._own_incarnation() as i where i.is_at_home),
    array(
      select case
          when lease_seconds[n] is not null
            and (delay_seconds[n] > 0 or start_ats[n] > moment or deadlines[n] <= moment) is not true
            then queue._new_receipt(run_ids[n], null)
        end
      from generate_series(1, cardinality(run_ids)) as n
      order by n
    )
  into v_is_at_home, v_receipts;
  if not v_is_at_home and queue._must_hold(false) then
    return null;
  end if;
  return v_receipts;
end
$function$;

comment on function queue._grant_leases(bigint[], numeric[], numeric[], timestamptz[], timestamptz[], jsonb, timestamptz) is
$comment$Decides which runs their starts lease: those that a receive would return now. Such a run begins now, is not past its deadline, its workflow has no flow control, and the database is not held as a copy.
run_ids: of the runs that are about to be started.
lease_seconds, delay_seconds, start_ats, deadlines: as in workflow_start_batch().
flow: flow control of the workflow, or null.
moment: the current time.
Returns the receipts by position, null for a run that must wait to be received; null if all must.
Errors: OX004 invalid lease.
Touches: nothing, or as _must_hold().$comment$;
