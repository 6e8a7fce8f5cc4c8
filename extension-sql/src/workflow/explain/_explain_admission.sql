create or replace function queue._explain_admission(run_id bigint)
returns queue.workflow_explanation
language plpgsql
stable
-- plans: index
as $function$
declare
  v_now    constant timestamptz := clock_timestamp();
  v_entry  record;
  v_gate   record;
  v_limits queue.flow_limits;
  v_limit  integer;
  v_taken  bigint;
  v_found  queue.workflow_explanation;
begin
  select a.queue_id, a.state, a.key, a.due_at, substr(q.name, 6) as workflow, q.flow_control
  into v_entry
  from queue.workflow_admission as a
  join queue.queue as q on q.queue_id = a.queue_id
  where a.run_id = _explain_admission.run_id
    and not a.is_over;
  if not found or v_entry.state = 'admitted' then
    return null;
  elsif v_entry.due_at > v_now then
    v_found.cause := 'delayed';
    v_found.summary := 'The run was started with a delay.';
    v_found.remedy := 'Wait, or cancel the run and start it without a delay.';
    v_found.until := v_entry.due_at;
    return v_found;
  elsif v_entry.state = 'new' then
    return null;
  end if;

  v_limits := queue._flow_limits(v_entry.flow_control);
  v_limit := case when v_entry.state = 'waiting' then v_limits.key_concurrency else v_limits.concurrency end;
  select g.taken, case when g.filled_at > v_now then g.opens_at end as opens_at into v_gate
  from queue.workflow_gate as g
  where g.queue_id = v_entry.queue_id
    and g.key = case when v_entry.state = 'waiting' then v_entry.key else '' end;
  if not found then
    return null;
  end if;
  -- Slots of ended runs are freed by the next receive.
  v_taken := v_gate.taken - (
    select count(*)
    from queue.workflow_admission as a
    where a.queue_id = v_entry.queue_id
      and a.is_over
      and case when v_entry.state = 'waiting'
        then a.key = v_entry.key and a.state in ('candidate', 'admitted')
        else a.state = 'admitted'
      end
  );

  v_found.since := v_entry.due_at;
  if v_taken >= v_limit then
    v_found.details := jsonb_build_object('taken', v_taken, 'limit', v_limit);
    v_found.cause := case when v_entry.state = 'waiting' then 'key_limit' else 'concurrency_limit' end;
    v_found.summary := case when v_entry.state = 'waiting'
      then format('Key "%s" of workflow "%s" is at its limit: %s of %s runs have begun.', v_entry.key, v_entry.workflow, v_taken, v_limit)
      else format('Workflow "%s" is at its limit: %s of %s runs have begun.', v_entry.workflow, v_taken, v_limit)
    end;
    v_found.remedy := format(
      'The run begins when one of them ends. To let more begin, raise %s in the flow control of the workflow.',
      case when v_entry.state = 'waiting' then 'concurrencyPerKey' else 'concurrency' end
    );
  elsif v_gate.opens_at > v_now then
    v_found.details := '{}';
    v_found.cause := case when v_entry.state = 'waiting' then 'key_rate' else 'rate_limit' end;
    v_found.summary := case when v_entry.state = 'waiting'
      then format('Key "%s" of workflow "%s" has used its rate.', v_entry.key, v_entry.workflow)
      else format('Workflow "%s" has used its rate.', v_entry.workflow)
    end;
    v_found.remedy := format(
      'The run begins when the rate allows it. To let more begin, raise %s in the flow control of the workflow.',
      case when v_entry.state = 'waiting' then 'rateLimitPerKey' else 'rateLimit' end
    );
    v_found.until := v_gate.opens_at;
  else
    return null;
  end if;
  if v_entry.state = 'waiting' then
    v_found.details := v_found.details || jsonb_build_object('key', v_entry.key);
  end if;
  return v_found;
end
$function$;

comment on function queue._explain_admission(bigint) is
$comment$Explains what flow control holds a run back for.
Returns the explanation, without run_id; null if flow control does not hold the run back, or no longer than until a worker receives.
Touches: nothing; reads queue.workflow_admission and queue.workflow_gate.$comment$;
