create type queue.captured_message as (
  capture_id      bigint,
  captured_at     timestamptz,
  subscription_id bigint,
  url             text,
  topic           text,
  message         jsonb,
  headers         jsonb
);

comment on type queue.captured_message is
  'A delivery to a url that a sandbox did not send.';
