create type queue.captured_message as (
  capture_id      bigint,      -- not null
  captured_at     timestamptz, -- not null
  subscription_id bigint,      -- may be null
  url             text,        -- may be null
  topic           text,        -- may be null
  message         jsonb,       -- may be null
  headers         jsonb,       -- may be null
  run_id          bigint       -- may be null
);

comment on type queue.captured_message is
  'A delivery to a url, or a request of a definition, that a sandbox did not send. subscription_id, topic: of a delivery; null for a request. message: of a request, its body. headers: of a request, its method, url and headers. run_id: the run that made the request; null for a delivery.';
