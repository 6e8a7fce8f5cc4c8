create type queue.endpoint_state as (
  endpoint_id     bigint,      -- not null
  url             text,        -- not null
  concurrency     integer,     -- not null
  is_paused       boolean,     -- not null
  created_at      timestamptz, -- not null
  serves          jsonb,       -- not null
  max_duration_ms integer,     -- may be null
  sdk_version     text,        -- may be null
  checked_at      timestamptz, -- may be null
  last_error      text,        -- may be null
  failed_at       timestamptz  -- may be null
);

comment on type queue.endpoint_state is
  'An endpoint in a list.';
comment on column queue.endpoint_state.url is
  'A password in it is masked except for oxbow_admin.';
comment on column queue.endpoint_state.concurrency is
  'How many runs one server pushes to it at a time.';
comment on column queue.endpoint_state.created_at is
  'When it was added the last time. The newest endpoint that serves a version gets its runs.';
comment on column queue.endpoint_state.serves is
  'The versions that it serves, by workflow, as the last successful check found: {"<name>": [<version>, ...]}.';
comment on column queue.endpoint_state.max_duration_ms is
  'How long one of its requests may take; null if it has not reported one.';
comment on column queue.endpoint_state.checked_at is
  'Last check that succeeded; null before the first.';
comment on column queue.endpoint_state.last_error is
  'Why the last check failed; null if it succeeded.';
comment on column queue.endpoint_state.failed_at is
  'Last check that failed; null if no check has failed.';
