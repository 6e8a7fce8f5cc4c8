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
  'A run, for display. activity: of a running run, queued, delayed, ready, executing, sleeping, waiting, retrying, pausing or paused. in_progress: the calls that a worker has reported, [{"step", "attempt", "since", "worker"}]; null if there are none.';
