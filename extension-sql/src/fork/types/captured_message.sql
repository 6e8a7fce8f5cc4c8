create type queue.captured_message as (
  capture_id      bigint,      -- not null
  captured_at     timestamptz, -- not null
  subscription_id bigint,      -- may be null
  url             text,        -- may be null
  topic           text,        -- may be null
  message         jsonb,       -- may be null
  headers         jsonb        -- may be null
);

comment on type queue.captured_message is
  'A delivery to a url that a sandbox did not send.';
