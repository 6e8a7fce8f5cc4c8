create or replace function queue._wake_run_waiters(run_ids bigint[])
returns void
language plpgsql
volatile
-- plans: generic
as $function$
begin
  -- The usual end, at a third of the cost.
  if cardinality(run_ids) = 1 then
    if queue._is_awaited('workflow_run_' || run_ids[1] % 256) then
      perform pg_notify('workflow_ended', run_ids[1]::text);
    end if;
    return;
  end if;
  perform pg_notify('workflow_ended', i.run_id::text)
  from unnest(run_ids) as i (run_id)
  join (
    select distinct r.run_id % 256 as bucket
    from unnest(run_ids) as r (run_id)
  ) as b on b.bucket = i.run_id % 256
  where queue._is_awaited('workflow_run_' || b.bucket);
end
$function$;

comment on function queue._wake_run_waiters(bigint[]) is
$comment$Notifies clients that wait for the end of a run. They listen on workflow_ended and hold a shared advisory lock on the key of workflow_run_<run_id % 256>: a client that waits for thousands of runs then holds at most 256 locks, because all sessions of a cluster share one lock table.
Touches: advisory locks, released immediately; NOTIFY only for runs that a client may wait for.$comment$;
