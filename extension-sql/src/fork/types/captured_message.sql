create type queue.captured_message as (
  capture_id      bigint,
  captured_at     timestamptz,
  subscription_id bigint,      -- may be null
  url             text,        -- may be null
  topic           text,        -- may be null
  message         jsonb,
  headers         jsonb
);

comment on type queue.captured_message is
  'A delivery to a url that a sandbox did not send.';
