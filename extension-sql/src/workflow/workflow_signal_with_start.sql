create or replace function queue.workflow_signal_with_start(
  name             text,
  idempotency_key  text,
  event            text,
  payload          jsonb default null,
  input            jsonb default null,
  version          integer default null,
  retention_days   integer default null,
  delay_seconds    numeric default 0,
  deadline         timestamptz default null,
  tags             jsonb default null,
  on_ended         text default 'start-new',
  deduplication_id text default null,
  flow_key         text default null,
  priority         integer default null,
  trace            jsonb default null,
  start_at         timestamptz default null,
  deadline_seconds numeric default null,
  route            text default null,
  follows_key      boolean default false
)
returns queue.signalled_start
language plpgsql
volatile
security definer
as $function$
declare
  v_started queue.started_run;
  v_answer  queue.signalled_start;
begin
  perform queue._check_id(idempotency_key, 'idempotency key');
  for v_attempt in 1..100 loop
    v_started := queue.workflow_start(
      workflow_signal_with_start.name,
      workflow_signal_with_start.input,
      workflow_signal_with_start.version,
      workflow_signal_with_start.idempotency_key,
      workflow_signal_with_start.retention_days,
      workflow_signal_with_start.delay_seconds,
      workflow_signal_with_start.deadline,
      workflow_signal_with_start.tags,
      on_ended => workflow_signal_with_start.on_ended,
      flow_key => workflow_signal_with_start.flow_key,
      priority => workflow_signal_with_start.priority,
      trace => workflow_signal_with_start.trace,
      start_at => workflow_signal_with_start.start_at,
      deadline_seconds => workflow_signal_with_start.deadline_seconds,
      route => workflow_signal_with_start.route,
      follows_key => workflow_signal_with_start.follows_key
    );
    v_answer.run_id := v_started.run_id;
    v_answer.created := v_started.created;
    v_answer.status := v_started.status;
    v_answer.outcome := queue.workflow_signal(v_started.run_id, event, payload, deduplication_id);
    -- The run may have ended between the two calls: then the rule for ended runs decides.
    if v_answer.outcome <> 'ignored' or v_started.status <> 'running' then
      return v_answer;
    end if;
  end loop;
  return v_answer;
end
$function$;

comment on function queue.workflow_signal_with_start(text, text, text, jsonb, jsonb, integer, integer, numeric, timestamptz, jsonb, text, text, text, integer, jsonb, timestamptz, numeric, text, boolean) is
$comment$Sends an event to the run that has an idempotency key, and starts that run first if it does not exist, in the caller's transaction.
event, payload, deduplication_id: as in workflow_signal().
on_ended: what to do if the run with the key has ended: start-new, start-new-if-failed, or use-existing, which ignores the signal.
input, version, retention_days, delay_seconds, deadline, tags, flow_key, priority, trace, start_at, deadline_seconds, route, follows_key: of the run if it is started, as in workflow_start().
Returns the run, whether this call created it, its status, and the outcome of the signal.
Errors: OX003 invalid name, OX004 invalid argument.
Touches: as workflow_start() and workflow_signal().$comment$;
