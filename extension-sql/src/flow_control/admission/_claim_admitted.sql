create or replace function queue._claim_admitted(
  claimed  queue.claimed_runs,
  names    text[],
  versions jsonb,
  max_runs integer,
  lease    interval
)
returns queue.claimed_runs
language plpgsql
volatile
as $function$
declare
  v_wanted integer := max_runs - coalesce(cardinality((claimed).run_ids), 0);
  v_served text[];
  v_queue  record;
  v_more   queue.claimed_runs;
begin
  for v_queue in
    select l.queue_id, l.name, l.versions from queue._limited_queues(names, versions, (claimed).limited) as l
  loop
    exit when v_wanted <= 0;
    v_wanted := v_wanted - queue._admit_runs(v_queue.queue_id, v_queue.versions, v_wanted);
    v_served := v_served || v_queue.name;
  end loop;
  if v_wanted = max_runs - coalesce(cardinality((claimed).run_ids), 0) then
    return claimed;
  end if;

  -- The time is read again, because admitted runs are visible only from then on.
  v_more := queue._claim_runs(
    v_served, versions, max_runs - coalesce(cardinality((claimed).run_ids), 0), clock_timestamp(), lease, false, 0, false
  );
  return queue._join_claims(claimed, v_more);
end
$function$;

comment on function queue._claim_admitted(queue.claimed_runs, text[], jsonb, integer, interval) is
$comment$Admits runs of workflows with flow control, and leases them, if a receive wants more runs than it has.
claimed: the runs that the receive has leased.
names, versions, max_runs: as in workflow_receive().
Returns claimed with the additional runs.
Touches: as _admit_runs() and _claim_runs().$comment$;
