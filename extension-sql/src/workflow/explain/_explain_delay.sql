create or replace function queue._explain_delay(run_id bigint, message jsonb, visible_at timestamptz, retried integer)
returns queue.workflow_explanation
language plpgsql
stable
as $function$
declare
  v_until constant timestamptz := nullif(visible_at, 'infinity');
  v_wait  jsonb;
  v_child record;
  v_found queue.workflow_explanation;
begin
  v_wait := message #> '{retries,0}';
  if v_wait is not null then
    v_found.cause := 'step_retry';
    v_found.summary := format(
      'Step "%s" failed %s, the last time with %s: %s. Call %s is due later.', v_wait ->> 'step',
      case when v_wait ->> 'attempts' = '1' then 'once' else (v_wait ->> 'attempts') || ' times' end,
      coalesce(v_wait #>> '{error,name}', 'Error'), left(coalesce(v_wait #>> '{error,message}', ''), 200),
      (v_wait ->> 'attempts')::integer + 1
    );
    v_found.remedy := 'Fix what the step calls; the next call then succeeds. Cancel the run if it never can.';
    v_found.since := (v_wait ->> 'since')::timestamptz;
    v_found.until := coalesce((v_wait ->> 'until')::timestamptz, v_until);
    v_found.details := v_wait - 'since' - 'until';
    return v_found;
  elsif retried > 0 and message = '{}' then
    v_found.cause := 'run_retry';
    v_found.summary := format('The run failed, and is retried by the policy of its workflow: retry %s.', retried);
    v_found.remedy := 'Fix the cause of the failure; the failures of earlier attempts are shown with the run.';
    v_found.until := v_until;
    return v_found;
  end if;

  select w.wait into v_wait
  from jsonb_array_elements(case jsonb_typeof(message -> 'waits') when 'array' then message -> 'waits' end)
    with ordinality as w (wait, position)
  -- An event comes first, because it needs an action.
  order by array_position(array['event', 'invoke', 'sleep'], w.wait ->> 'kind'), w.wait ->> 'until', w.position
  limit 1;
  v_found.since := (v_wait ->> 'since')::timestamptz;
  v_found.until := (v_wait ->> 'until')::timestamptz;
  v_found.details := v_wait - 'since' - 'until' - 'kind';
  if v_wait ? 'approval' then
    v_found.cause := 'approval';
    v_found.summary := format('Step "%s" waits for an approval.', v_wait ->> 'step');
    v_found.remedy := 'Approve or reject the request; approval_list() lists those of the run.';
    v_found.details := v_found.details - 'event';
  elsif v_wait ->> 'kind' = 'event' then
    v_found.cause := 'event';
    v_found.summary := format(
      'Step "%s" waits for event "%s"%s.', v_wait ->> 'step', v_wait ->> 'event',
      case when v_wait ? 'match' then format(' with a payload that contains %s', left((v_wait -> 'match')::text, 200)) else '' end
    );
    v_found.remedy := format('Signal the run with event "%s"%s.', v_wait ->> 'event',
      case when v_wait ? 'match' then ' and such a payload' else '' end);
  elsif v_wait ->> 'kind' = 'invoke' then
    select r.run_id, r.workflow_name, r.status, r.completed_at into v_child
    from queue.workflow_run as r
    where r.parent_run_id = _explain_delay.run_id
      and r.parent_step = v_wait ->> 'step'
    order by r.run_id desc
    limit 1;
    v_found.cause := 'child';
    v_found.summary := format('Step "%s" waits for the end of run %s of workflow "%s".', v_wait ->> 'step',
      coalesce(v_child.run_id::text, 'that it started'), coalesce(v_child.workflow_name, v_wait ->> 'workflow', '?'));
    v_found.remedy := 'Look at the explanation of that run.';
    v_found.details := v_found.details || jsonb_build_object('run_id', v_child.run_id::text);
  elsif v_wait ->> 'kind' = 'sleep' then
    v_found.cause := 'sleep';
    v_found.summary := format('Step "%s" sleeps.', v_wait ->> 'step');
    v_found.remedy := 'Wait: the run resumes by itself.';
    v_found.until := coalesce(v_found.until, v_until);
  else
    v_found.cause := 'delayed';
    v_found.summary := 'The run was delayed.';
    v_found.remedy := 'Wait: a worker receives the run after that.';
    v_found.until := v_until;
  end if;
  return v_found;
end
$function$;

comment on function queue._explain_delay(bigint, jsonb, timestamptz, integer) is
$comment$Explains what a run waits for that is neither ready nor executing.
message, visible_at: of its continuation.
retried: how often the policy of its workflow has retried it.
Returns the explanation, without run_id. Of several waits, a retry comes before an event, an event before a child, and a child before a sleep.
Touches: nothing; reads queue.workflow_run.$comment$;
