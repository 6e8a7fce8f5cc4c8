create or replace function queue._rerun_run(run_id bigint, from_step text, input jsonb, version integer)
returns bigint
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_name     text;
  v_version  integer;
  v_position integer := 1;
  v_decision integer;
  v_place    queue.run_place;
  v_new      bigint;
begin
  select r.workflow_name, coalesce(_rerun_run.version, r.workflow_version) into v_name, v_version
  from queue.workflow_run as r
  where r.run_id = _rerun_run.run_id
  -- It neither moves to another shard nor is deleted while its journal is copied.
  for key share;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  if input is not null and starts_with(v_name, 'oxbow-resources-') is not false then
    perform queue._raise('OX004', format('run %s lists resources, and can''t have another input', run_id), null,
      'List the resources again.');
  end if;
  perform queue._check_start(array[v_version], null, null, null, null, null);
  if from_step is not null then
    -- A decision after the outcome of its row: the row is kept, with the decisions before this one.
    select s.position + (d.number is not null)::integer, d.number::integer
    into v_position, v_decision
    from queue.workflow_step as s
    left join lateral (
      select e.number
      from jsonb_array_elements(s.decisions) with ordinality as e (decision, number)
      where e.decision ->> 'name' = from_step
        and not e.decision ? 'before'
        and s.kind <> 'decision'
    ) as d on true
    where s.run_id = _rerun_run.run_id
      and (s.step_name = from_step or s.decisions @> jsonb_build_array(jsonb_build_object('name', from_step)));
    if not found then
      perform queue._raise('OX004', format('run %s has no step "%s" in its journal', run_id, left(from_step, 140)), null,
        'Pass the name of a finished step, as listed by workflow_journal(), or null for the beginning.');
    end if;
  end if;

  select queue._insert_run(
      r.workflow_name, v_version, coalesce(_rerun_run.input, r.input), v_now,
      case when r.deadline > v_now then r.deadline end, least(r.retention_days, queue._max_retention_days()),
      case when v_version = r.workflow_version then r.is_test end, r.run_id
    )
  into v_new
  from queue.workflow_run as r
  where r.run_id = _rerun_run.run_id;
  perform queue._record_starters(array[v_new], queue._starters(run_id) || queue._acting_starters());

  insert into queue.workflow_step (
    run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output, error, decisions
  )
  select v_new, s.started_at, s.completed_at, s.position, s.attempts,
    coalesce(s.bytes, queue._large_row_size(s.output, s.error, s.decisions)), s.step_name, s.kind, s.output, s.error,
    case
      when s.position < v_position - 1 or v_decision is null then s.decisions
      else (
        select jsonb_agg(e.decision order by e.number)
        from jsonb_array_elements(s.decisions) with ordinality as e (decision, number)
        where e.number < v_decision
      )
    end
  from queue.workflow_step as s
  where s.run_id = _rerun_run.run_id
    and s.position < v_position;

  -- The replay does not set the values that were set before that step again.
  if from_step is not null then
    insert into queue.workflow_run_state (run_id, set_at, key, value)
    select v_new, v_now, s.key, s.value
    from queue.workflow_run_state as s
    where s.run_id = _rerun_run.run_id;
  end if;

  v_place := queue._run_place(v_name);
  perform queue._insert_continuation(v_place, v_new, v_version, v_now, has_journal => true);
  perform queue._await_admission_if_limited(coalesce(v_place.workflow_queue_id, v_place.queue_id), array[v_new]);
  perform queue._wake(queue._worker_channel(v_name));
  return v_new;
end
$function$;

comment on function queue._rerun_run(bigint, text, jsonb, integer) is
$comment$Starts a new run that repeats another one, for workflow_rerun() and for changes of many runs.
Returns as workflow_rerun().
Errors: OX004 invalid version or no such step in the journal, OX005 no such run.
Touches: as workflow_rerun(), without queue.audit.$comment$;
