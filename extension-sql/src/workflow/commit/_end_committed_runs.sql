create or replace function queue._end_committed_runs(
  run_ids      bigint[],
  receipts     bigint[],
  transitions  text[],
  results      jsonb[],
  held         boolean[],
  committed_at timestamptz
)
returns bigint[]
language plpgsql
volatile
as $function$
declare
  v_run_ids  bigint[];
  v_statuses text[];
  v_outputs  jsonb[];
  v_errors   jsonb[];
  v_receipts bigint[];
begin
  select array_agg(i.run_id),
    array_agg(case i.transition when 'complete' then 'completed' when 'fail' then 'failed' else 'cancelled' end),
    array_agg(case when i.transition = 'complete' then i.result end),
    array_agg(case when i.transition <> 'complete' then i.result end),
    array_agg(i.receipt)
  into v_run_ids, v_statuses, v_outputs, v_errors, v_receipts
  from unnest(run_ids, receipts, transitions, results, held) as i (run_id, receipt, transition, result, held)
  where i.held
    and i.transition in ('complete', 'fail', 'cancel');

  if v_run_ids is null then
    return null;
  end if;
  return queue._end_runs(v_run_ids, v_statuses, v_outputs, v_errors, v_receipts, committed_at);
end
$function$;

comment on function queue._end_committed_runs(bigint[], bigint[], text[], jsonb[], boolean[], timestamptz) is
$comment$Ends the runs that a commit completes, fails or cancels.
held: by position, which leases are locked.
Returns the runs that were cancelled with rollback since they were received, and do not end; null instead of an empty array.
Touches: as _end_runs().$comment$;
