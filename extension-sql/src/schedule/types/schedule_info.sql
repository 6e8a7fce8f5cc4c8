create type queue.schedule_info as (
  name           text,        -- not null
  workflow       text,        -- not null
  version        integer,     -- may be null
  cron           text,        -- may be null
  every_seconds  integer,     -- may be null
  time_zone      text,        -- not null
  input          jsonb,       -- may be null
  tags           jsonb,       -- may be null
  retention_days integer,     -- may be null
  jitter_seconds numeric,     -- not null
  catch_up       text,        -- skip | latest | backfill
  catch_up_limit integer,     -- may be null
  grace_seconds  numeric,     -- not null
  overlap        text,        -- allow | skip
  created_at     timestamptz, -- not null
  changed_at     timestamptz, -- not null
  paused_at      timestamptz, -- may be null
  pause_reason   text,        -- may be null
  next_tick_at   timestamptz, -- may be null
  last_tick_at   timestamptz, -- may be null
  last_run_id    bigint       -- may be null
);

comment on type queue.schedule_info is
  'A schedule as returned by schedule_list(). next_tick_at: null while the schedule is paused, until a ticker has computed it, and after its last tick.';
