create type queue.run_filter as (
  name             text,
  version          integer,
  status           text[],
  paused           boolean,
  started_after    timestamptz,
  started_before   timestamptz,
  completed_after  timestamptz,
  completed_before timestamptz,
  tags             jsonb,
  input            jsonb,
  error_code       text,
  idempotency_key  text
);

comment on type queue.run_filter is
  'Selects runs that match every attribute that is not null.';
