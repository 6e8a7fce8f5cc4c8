-- Endpoints: urls of functions to which servers push runs.

create table queue.endpoint (
  endpoint_id     bigint generated always as identity,
  created_at      timestamptz not null,
  paused_at       timestamptz,
  check_at        timestamptz,
  checked_at      timestamptz,
  failed_at       timestamptz,
  concurrency     integer not null default 20,
  max_duration_ms integer,
  url             text not null,
  serves          jsonb not null default '{}',
  sdk_version     text,
  last_error      text,
  constraint endpoint_pkey primary key (endpoint_id),
  constraint endpoint_url unique (url),
  constraint url_is_http check (url ~ '^https?://[^\s/?#]+([/?#]\S*)?$' and length(url) <= 2048),
  constraint concurrency_is_limited check (concurrency between 1 and 1000),
  constraint max_duration_is_positive check (max_duration_ms > 0),
  constraint serves_is_an_object check (jsonb_typeof(serves) = 'object'),
  constraint paused_endpoint_has_no_next_check check (paused_at is null or check_at is null)
);

create index endpoint_check_at on queue.endpoint (check_at) where check_at is not null;

comment on table queue.endpoint is 'One row per url of a function to which servers push runs. Pushes write nothing here; checks do.';
comment on column queue.endpoint.endpoint_id is 'Identifies the endpoint.';
comment on column queue.endpoint.created_at is 'When it was added the last time. The newest endpoint that serves a version gets its runs.';
comment on column queue.endpoint.paused_at is 'Since when nothing is pushed to it; null while it is active.';
comment on column queue.endpoint.check_at is 'When a server asks it next what it serves; null while it is paused.';
comment on column queue.endpoint.checked_at is 'Last check that succeeded.';
comment on column queue.endpoint.failed_at is 'Last check that failed.';
comment on column queue.endpoint.concurrency is 'How many runs one server pushes to it at a time.';
comment on column queue.endpoint.max_duration_ms is 'How long one of its requests may take, as the last check found; null if it did not report one.';
comment on column queue.endpoint.url is 'Where it answers.';
comment on column queue.endpoint.serves is 'Versions by workflow, as the last check found: {"<name>": [<version>, ...]}.';
comment on column queue.endpoint.sdk_version is 'Version of its SDK, as the last check found.';
comment on column queue.endpoint.last_error is 'Why the last check failed; null if it succeeded.';
