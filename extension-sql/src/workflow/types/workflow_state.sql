create type queue.workflow_state as (
  run_id          bigint,
  name            text,
  version         integer,
  status          text,        -- running | completed | failed | cancelled
  activity        text,        -- queued | ready | executing | sleeping | waiting | retrying | delayed | pausing | paused | null
  input           jsonb,
  output          jsonb,
  error           jsonb,
  idempotency_key text,        -- may be null
  tags            jsonb,
  attempt         integer,     -- may be null
  waits           jsonb,
  retries         jsonb,
  started_at      timestamptz,
  completed_at    timestamptz, -- may be null
  deadline        timestamptz, -- may be null
  resumes_at      timestamptz, -- may be null
  paused_at       timestamptz, -- may be null
  pause_reason    text,        -- may be null
  rerun_of        bigint,      -- may be null
  superseded_by   bigint,      -- may be null
  scheduled_at    timestamptz, -- may be null
  in_progress     jsonb,
  failure_of      bigint,      -- may be null
  retried         integer,
  failures        jsonb
);

comment on type queue.workflow_state is
  'A run, for display. activity: of a running run, queued, delayed, ready, executing, sleeping, waiting, retrying, pausing or paused. in_progress: the calls that a worker has reported, [{"step", "attempt", "since", "worker"}]; null if there are none.';
