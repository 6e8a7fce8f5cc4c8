create or replace function queue.workflow_report_progress(receipts bigint[], worker text, steps jsonb[])
returns void
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  perform queue._migrate_if_older();
  if cardinality(receipts) is distinct from cardinality(steps) then
    perform queue._raise('OX004', format('%s receipts, but %s lists of steps', cardinality(receipts), cardinality(steps)),
      null, 'Pass one list of steps per receipt.');
  end if;

  insert into queue.workflow_progress as p (run_id, receipt, reported_at, worker, steps)
  select m.msg_id, m.receipt, v_now, left(coalesce(workflow_report_progress.worker, ''), 200), coalesce(l.steps, '[]')
  from unnest(workflow_report_progress.receipts, workflow_report_progress.steps) as i (receipt, calls)
  join queue.workflow_continuation as m
    on m.msg_id = queue._receipt_msg_id(i.receipt)
    and m.receipt = i.receipt
  cross join lateral (
    select jsonb_agg(
        jsonb_build_object(
          'step', c.call ->> 'step',
          'attempt', (c.call ->> 'attempt')::integer,
          'since', v_now - make_interval(secs => (c.call ->> 'for_ms')::double precision / 1000)
        )
        order by c.position
      ) as steps
    from jsonb_array_elements(i.calls) with ordinality as c (call, position)
  ) as l
  -- Always in this order, so that two reports don't deadlock.
  order by m.msg_id
  on conflict on constraint workflow_progress_pkey do update
  set receipt = excluded.receipt,
    reported_at = excluded.reported_at,
    worker = excluded.worker,
    steps = excluded.steps;
end
$function$;

comment on function queue.workflow_report_progress(bigint[], text, jsonb[]) is
$comment$Reports which steps a worker is calling, for display. Workers report calls that take longer than a second when they change; nothing depends on it.
receipts, steps: parallel arrays with one element per run. Dead receipts are skipped.
steps: the current calls, [{"step", "attempt", "for_ms"}], where for_ms is how long the call has taken so far; [] without calls.
worker: name of the worker, at most 200 characters.
Errors: OX004 invalid argument.
Touches: queue.workflow_progress; reads queue.workflow_continuation.$comment$;
