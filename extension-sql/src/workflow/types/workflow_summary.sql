create type queue.workflow_summary as (
  run_id          bigint,      -- not null
  name            text,        -- not null
  version         integer,     -- not null
  status          text,        -- running | completed | failed | cancelled
  started_at      timestamptz, -- not null
  completed_at    timestamptz, -- may be null
  deadline        timestamptz, -- may be null
  paused_at       timestamptz, -- may be null
  idempotency_key text,        -- may be null
  tags            jsonb,       -- may be null
  error           jsonb,       -- may be null
  rerun_of        bigint,      -- may be null
  superseded_by   bigint,      -- may be null
  input           jsonb,       -- may be null
  output          jsonb,       -- may be null
  failure_of      bigint,      -- may be null
  activity        text,        -- queued | ready | executing | sleeping | waiting | retrying | delayed | pausing | paused | null
  parent_run_id   bigint       -- may be null
);

comment on type queue.workflow_summary is
  'A run in a list.';
comment on column queue.workflow_summary.input is
  'Only if the list was requested with values.';
comment on column queue.workflow_summary.output is
  'Only if the list was requested with values.';
