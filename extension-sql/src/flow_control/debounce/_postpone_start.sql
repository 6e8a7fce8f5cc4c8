create or replace function queue._postpone_start(
  run_id   bigint,
  input    jsonb,
  delay    numeric,
  deadline timestamptz,
  priority integer,
  flow     jsonb
)
returns boolean
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_limits constant queue.flow_limits := queue._flow_limits(flow);
  -- At its deadline the run fails, whether or not it has begun.
  v_until  constant timestamptz := coalesce(deadline, 'infinity');
  v_now    timestamptz;
  v_due    timestamptz;
  v_state  text;
  v_run    record;
begin
  -- The lock on the continuation excludes workers: the run has either begun or not.
  select m.enqueued_at, m.receipt is not null or m.settled_receipt is not null as has_begun into v_run
  from queue.workflow_continuation as m
  where m.msg_id = run_id
  for no key update;
  if not found or v_run.has_begun then
    return false;
  end if;
  -- Once past its deadline it fails, at any moment.
  update queue.workflow_run as r
  set input = _postpone_start.input,
    deadline = _postpone_start.deadline
  where r.run_id = _postpone_start.run_id
    and (r.deadline <= clock_timestamp()) is not true;
  if not found then
    return false;
  end if;

  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  v_now := clock_timestamp();
  v_due := least(v_now + make_interval(secs => delay::double precision), v_run.enqueued_at + v_limits.debounce_limit);
  update queue.workflow_admission as a
  set due_at = case when a.state = 'new' and a.due_at > v_now then greatest(a.due_at, v_due) else a.due_at end,
    priority = coalesce(
      _postpone_start.priority, queue._flow_priority(_postpone_start.input, v_limits.priority_path)
    )
  where a.run_id = _postpone_start.run_id
    and a.state <> 'admitted'
  returning a.state into v_state;
  update queue.workflow_continuation as m
  set visible_at = greatest(v_now, case
      when v_state is not null or m.headers ? 'paused' then v_until
      else least(greatest(m.visible_at, v_due), v_until)
    end),
    headers = case
      when m.headers ? 'paused' then jsonb_set(m.headers, '{paused}', jsonb_strip_nulls(jsonb_build_object(
        'until', deadline,
        'due', case when v_state is not null then v_until else (m.headers #>> '{paused,due}')::timestamptz end
      )))
      else m.headers
    end
  where m.msg_id = run_id
    -- One that is due stays so.
    and m.visible_at > v_now;
  return true;
end
$function$;

comment on function queue._postpone_start(bigint, jsonb, numeric, timestamptz, integer, jsonb) is
$comment$Gives a run that has not begun the input, deadline and priority of a later start, and postpones it if it is not due yet: a debounced start does this to the previous one.
delay: of the later start, in seconds.
deadline: of the later start; null without one.
priority: that the later start names; null means the one in the input.
flow: of the workflow.
Returns false if the run has begun, has ended, or is past its deadline.
Touches: queue.workflow_continuation, queue.workflow_run, queue.workflow_admission.$comment$;
