create type queue.approval_state as (
  approval_id      bigint,      -- not null
  run_id           bigint,      -- not null
  workflow_name    text,        -- not null
  step_name        text,        -- not null
  status           text,        -- waiting | approved | rejected | expired | withdrawn
  title            text,        -- not null
  description      text,        -- may be null
  form             jsonb,       -- may be null
  approvers        text[],      -- may be null
  quorum           integer,     -- not null
  rejections       integer,     -- not null
  excludes_starter boolean,     -- not null
  requested_at     timestamptz, -- not null
  expires_at       timestamptz, -- may be null
  ended_at         timestamptz, -- may be null
  decisions        jsonb        -- not null
);

comment on type queue.approval_state is
  'A request for approval. status: waiting until it ends; expired once its time is over; withdrawn if the run ended or abandoned the step. approvers: people and groups; null for everyone with the right to decide. quorum, rejections: how many must approve or reject. decisions: [{"actor", "decision", "values", "at"}] in the order of time.';
