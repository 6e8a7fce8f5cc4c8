create type queue.schedule_info as (
  name           text,
  workflow       text,
  version        integer,
  cron           text,
  every_seconds  integer,
  time_zone      text,
  input          jsonb,
  tags           jsonb,
  retention_days integer,
  jitter_seconds numeric,
  catch_up       text,
  catch_up_limit integer,
  grace_seconds  numeric,
  overlap        text,
  created_at     timestamptz,
  changed_at     timestamptz,
  paused_at      timestamptz,
  pause_reason   text,
  next_tick_at   timestamptz,
  last_tick_at   timestamptz,
  last_run_id    bigint
);

comment on type queue.schedule_info is
  'A schedule as returned by schedule_list(). next_tick_at: null while the schedule is paused, until a ticker has computed it, and after its last tick.';
