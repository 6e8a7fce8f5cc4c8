create type queue.workflow_summary as (
  run_id          bigint,
  name            text,
  version         integer,
  status          text,
  started_at      timestamptz,
  completed_at    timestamptz,
  deadline        timestamptz,
  paused_at       timestamptz,
  idempotency_key text,
  tags            jsonb,
  error           jsonb,
  rerun_of        bigint,
  superseded_by   bigint,
  input           jsonb,
  output          jsonb,
  failure_of      bigint
);

comment on type queue.workflow_summary is
  'A run in a list. input, output: null unless requested.';
