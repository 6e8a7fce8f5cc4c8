create or replace function queue._postpone_start(run_id bigint, input jsonb, delay numeric, flow jsonb)
returns boolean
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_limit  constant interval := make_interval(secs => (flow #>> '{debounce,max_seconds}')::double precision);
  v_now    timestamptz;
  v_due    timestamptz;
  v_run    record;
begin
  -- The lock on the continuation excludes workers: the run has either begun or not.
  select m.visible_at, m.enqueued_at, m.headers is not null as is_special,
    m.receipt is not null or m.settled_receipt is not null as has_begun
  into v_run
  from queue.workflow_continuation as m
  where m.msg_id = run_id
  for no key update;
  if not found or v_run.has_begun then
    return false;
  end if;
  update queue.workflow_run as r
  set input = _postpone_start.input
  where r.run_id = _postpone_start.run_id;

  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  v_now := clock_timestamp();
  v_due := least(v_now + make_interval(secs => delay::double precision), v_run.enqueued_at + v_limit);
  update queue.workflow_admission as a
  set due_at = greatest(a.due_at, v_due)
  where a.run_id = _postpone_start.run_id
    and a.state = 'new'
    and a.due_at > v_now;
  if not v_run.is_special and not exists (
    select from queue.workflow_admission as a where a.run_id = _postpone_start.run_id
  ) then
    update queue.workflow_continuation as m
    set visible_at = greatest(m.visible_at, v_due)
    where m.msg_id = run_id
      and m.visible_at > v_now;
  end if;
  return true;
end
$function$;

comment on function queue._postpone_start(bigint, jsonb, numeric, jsonb) is
$comment$Replaces the input of a run that has not begun, and postpones it if it is not due yet: a debounced start does this to the previous one.
input, delay: of the later start; delay in seconds.
flow: of the workflow.
Returns false if the run has begun or ended.
Touches: queue.workflow_continuation, queue.workflow_run, queue.workflow_admission.$comment$;
