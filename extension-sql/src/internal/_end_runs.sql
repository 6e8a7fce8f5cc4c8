create or replace function queue._end_runs(
  name     text,
  run_ids  bigint[],
  statuses text[],
  outputs  jsonb[],
  errors   jsonb[],
  receipts bigint[],
  ended_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  execute format($sql$delete from %1$s as m where m.msg_id = any ($1)$sql$, queue._workflow_table(name))
  using run_ids;

  update queue.workflow_run as r
  set status = i.status::queue.workflow_status,
    output = i.output,
    error = i.error,
    completed_at = ended_at,
    expires_at = ended_at + make_interval(days => r.retention_days),
    ended_by = i.receipt,
    paused_at = null,
    pause_reason = null
  from unnest(run_ids, statuses, outputs, errors, receipts) as i (run_id, status, output, error, receipt)
  where r.run_id = i.run_id;

  perform queue._wake_run_waiters(run_ids);
end
$function$;

comment on function queue._end_runs(text, bigint[], text[], jsonb[], jsonb[], bigint[], timestamptz) is
$comment$Ends running runs whose continuations the caller has locked: status, result, continuation gone, waiters woken.
receipts: of the commits that end them, null when it is not a worker's.
Touches: continuations, queue.workflow_run.$comment$;
