create or replace function queue._delete_run_parts(run_ids bigint[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_approvals bigint[];
begin
  delete from queue.workflow_step as s where s.run_id = any (run_ids);
  delete from queue.workflow_buffered_signal as b where b.run_id = any (run_ids);
  delete from queue.workflow_signal_receipt as d where d.run_id = any (run_ids);
  delete from queue.workflow_run_state as s where s.run_id = any (run_ids);
  delete from queue.workflow_stream_chunk as c where c.run_id = any (run_ids);
  delete from queue.workflow_failed_attempt as f where f.run_id = any (run_ids);
  delete from queue.workflow_progress as p where p.run_id = any (run_ids);
  if exists (select from queue.workflow_generation) then
    delete from queue.workflow_generation as g where g.run_id = any (run_ids);
  end if;
  delete from queue.triggered_run as t where t.run_id = any (run_ids);
  if exists (select from queue.definition_test_run) then
    delete from queue.definition_test_run as t where t.run_id = any (run_ids);
  end if;
  delete from queue.workflow_starter as s where s.run_id = any (run_ids);
  if exists (select from queue.approval) then
    with deleted as (
      delete from queue.approval as a
      where a.run_id = any (run_ids)
      returning a.approval_id
    )
    select array_agg(deleted.approval_id) into v_approvals from deleted;
    delete from queue.approval_decision as d where d.approval_id = any (v_approvals);
    delete from queue.approval_token as l where l.approval_id = any (v_approvals);
  end if;
end
$function$;

comment on function queue._delete_run_parts(bigint[]) is
$comment$Deletes what belongs to runs that the caller has deleted.
Touches: queue.workflow_step, queue.workflow_buffered_signal, queue.workflow_signal_receipt, queue.workflow_run_state, queue.workflow_stream_chunk, queue.workflow_failed_attempt, queue.workflow_progress, queue.workflow_generation, queue.triggered_run, queue.definition_test_run, queue.workflow_starter, queue.approval, queue.approval_decision, queue.approval_token.$comment$;
