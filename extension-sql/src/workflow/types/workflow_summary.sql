create type queue.workflow_summary as (
  run_id          bigint,
  name            text,
  version         integer,
  status          text,        -- running | completed | failed | cancelled
  started_at      timestamptz,
  completed_at    timestamptz, -- may be null
  deadline        timestamptz, -- may be null
  paused_at       timestamptz, -- may be null
  idempotency_key text,        -- may be null
  tags            jsonb,
  error           jsonb,
  rerun_of        bigint,      -- may be null
  superseded_by   bigint,      -- may be null
  input           jsonb,
  output          jsonb,
  failure_of      bigint       -- may be null
);

comment on type queue.workflow_summary is
  'A run in a list. input, output: null unless requested.';
