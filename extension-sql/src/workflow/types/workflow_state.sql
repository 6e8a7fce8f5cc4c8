create type queue.workflow_state as (
  run_id          bigint,
  name            text,
  version         integer,
  status          text,
  activity        text,
  input           jsonb,
  output          jsonb,
  error           jsonb,
  idempotency_key text,
  tags            jsonb,
  attempt         integer,
  waits           jsonb,
  retries         jsonb,
  started_at      timestamptz,
  completed_at    timestamptz,
  deadline        timestamptz,
  resumes_at      timestamptz,
  paused_at       timestamptz,
  pause_reason    text,
  rerun_of        bigint,
  superseded_by   bigint,
  scheduled_at    timestamptz,
  in_progress     jsonb,
  failure_of      bigint,
  retried         integer,
  failures        jsonb
);

comment on type queue.workflow_state is
  'Returns the values that a run has published with ctx.state.set(), as of its last commit. Returns an object with the last value of each key, {} if none was set; null if the run does not exist. Touches: nothing; reads queue.workflow_run_state.';
