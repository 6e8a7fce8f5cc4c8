create or replace function queue._remove_failure(run_id bigint, error jsonb)
returns void
language plpgsql
volatile
as $function$
declare
  v_message text;
  v_node    text;
  v_fatal   record;
begin
  -- An error that no step caused leaves the journal as it is.
  v_message := jsonb_path_query_first(error, 'strict $.** ? (@.code == "STEP_FAILED").message', silent => true) #>> '{}';
  -- A graph fails by one of its nodes, and names the step that failed it, which may be within a loop. Errors of earlier
  -- versions don't: then it is the step of the node, and what failed within a loop is left alone.
  if error ->> 'code' = 'NODE_FAILED' then
    v_node := substring(error ->> 'message' from '^Node "([^"]+)" failed');
  end if;
  if v_message is null and v_node is null and not coalesce(error @? 'strict $.** ? (@.code == "STEP_FAILED")', false) then
    return;
  end if;

  -- The step that the error names, otherwise the last one that failed.
  select s.position, s.started_at, s.completed_at into v_fatal
  from queue.workflow_step as s
  where s.run_id = _remove_failure.run_id
    and s.error is not null
    and s.error ->> 'code' is distinct from 'STEP_ABANDONED'
    and (
      v_node is null
      or v_message is null and s.step_name = v_node
      or starts_with(v_message, format('Step "%s" of run ', s.step_name))
    )
  order by starts_with(v_message, format('Step "%s" of run ', s.step_name)) is true desc, s.position desc
  limit 1;
  if not found then
    return;
  end if;

  -- Together with steps that began after it, because of it, and steps that failed at the same time.
  with forgotten as (
    delete from queue.workflow_step as s
    where s.run_id = _remove_failure.run_id
      and (
        s.position = v_fatal.position
        or s.position > v_fatal.position
          and (s.error is not null or s.started_at > v_fatal.completed_at or s.kind = 'decision')
        or s.position < v_fatal.position and s.error is not null and s.completed_at > v_fatal.started_at
      )
    returning s.completed_at, s.attempts, s.step_name, s.error
  )
  insert into queue.workflow_failed_attempt (run_id, failed_at, retry_at, attempt, step_name, error)
  select _remove_failure.run_id, f.completed_at, f.completed_at, f.attempts, f.step_name, f.error
  from forgotten as f
  where f.error is not null
    and f.error ->> 'code' is distinct from 'STEP_ABANDONED'
  on conflict on constraint workflow_failed_attempt_pkey do nothing;

  perform queue._supersede_chunks(
    array[_remove_failure.run_id], array[''], array[v_fatal.position], array[0], null, clock_timestamp()
  );

  -- What the body decides from here on may depend on that step, and nothing that is kept depends on it.
  update queue.workflow_step as s
  set decisions = null
  where s.run_id = _remove_failure.run_id
    and s.position > v_fatal.position
    and s.decisions is not null;

  update queue.workflow_step as s
  set position = kept.position
  from (
    select k.step_name, row_number() over (order by k.position) as position
    from queue.workflow_step as k
    where k.run_id = _remove_failure.run_id
  ) as kept
  where s.run_id = _remove_failure.run_id
    and s.step_name = kept.step_name
    and s.position <> kept.position;
end
$function$;

comment on function queue._remove_failure(bigint, jsonb) is
$comment$Removes the step that failed a run from its journal, so that it gets new attempts, with steps that failed at the same time or began later, and what the body decided and streamed since. Failures that the body caught are kept. The run of a definition names the step that failed it, if any: one that failed by an expression, as that of a loop may, keeps its journal. The errors of removed steps are kept as failed attempts.
error: of the run.
Touches: queue.workflow_step, queue.workflow_failed_attempt, queue.workflow_stream_chunk.$comment$;
