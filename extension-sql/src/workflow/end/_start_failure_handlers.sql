create or replace function queue._start_failure_handlers(run_ids bigint[])
returns void
language plpgsql
volatile
as $function$
declare
  v_handler record;
  v_started bigint[];
begin
  for v_handler in
    select v.on_failure as name,
      array_agg(r.run_id order by r.run_id) as run_ids,
      array_agg(
        jsonb_build_object(
          'runId', r.run_id::text, 'workflow', r.workflow_name, 'version', r.workflow_version, 'input', r.input,
          'error', r.error
        )
        order by r.run_id
      ) as inputs,
      array_agg(r.trace order by r.run_id) as traces
    from queue.workflow_run as r
    join queue.workflow_version as v
      on v.workflow_name = r.workflow_name
      and v.version = r.workflow_version
    where r.run_id = any (run_ids)
      and r.status = 'failed'
      and v.on_failure is not null
    group by v.on_failure
    order by v.on_failure
  loop
    -- The run has nothing to do with it.
    continue when queue._start_refusal(v_handler.name) is not null;
    v_started := array(
      select s.run_id
      from queue.workflow_start_batch(v_handler.name, v_handler.inputs, traces => v_handler.traces)
        with ordinality as s (run_id, created, status, receipt, started_at, deadline, position)
      order by s.position
    );
    update queue.workflow_run as r
    set failure_of = s.failed
    from unnest(v_started, v_handler.run_ids) as s (run_id, failed)
    where r.run_id = s.run_id;
  end loop;
end
$function$;

comment on function queue._start_failure_handlers(bigint[]) is
$comment$Starts the failure handlers of runs that have just failed, in the transaction that fails them: exactly one run each.
run_ids: ended runs; runs that did not fail, whose version has no handler, or whose handler is a definition that is archived or was never published, are skipped.
Touches: as workflow_start_batch().$comment$;
