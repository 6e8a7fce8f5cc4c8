create type queue.run_filter as (
  name             text,        -- may be null
  version          integer,     -- may be null
  status           text[],      -- may be null
  paused           boolean,     -- may be null
  started_after    timestamptz, -- may be null
  started_before   timestamptz, -- may be null
  completed_after  timestamptz, -- may be null
  completed_before timestamptz, -- may be null
  tags             jsonb,       -- may be null
  input            jsonb,       -- may be null
  error_code       text,        -- may be null
  idempotency_key  text,        -- may be null
  activity         text[],      -- may be null
  parent           bigint,      -- may be null
  error_text       text,        -- may be null
  test             boolean      -- may be null
);

comment on type queue.run_filter is
  'Selects runs that match every attribute that is not null. test: true selects test runs of definitions; otherwise they are left out.';
