-- Schedules, which start runs by the clock. The next tick is a delayed message on the queue __schedules.

alter table queue.workflow_run
  add column scheduled_at timestamptz;

comment on column queue.workflow_run.scheduled_at is
  'The tick of a schedule that started the run, whose name is its tag "schedule"; null for other runs.';

create table queue.schedule (
  created_at       timestamptz not null,
  changed_at       timestamptz not null,
  done_until       timestamptz not null,
  next_tick_at     timestamptz,
  last_tick_at     timestamptz,
  paused_at        timestamptz,
  last_run_id      bigint,
  msg_id           bigint,
  jitter           interval not null,
  grace            interval not null,
  every_seconds    integer,
  workflow_version integer not null,
  retention_days   integer,
  catch_up_limit   integer,
  name             text not null,
  workflow_name    text not null,
  cron             text,
  time_zone        text not null,
  catch_up         text not null,
  overlap          text not null,
  pause_reason     text,
  input            jsonb,
  tags             jsonb,
  constraint schedule_pkey primary key (name),
  constraint schedule_has_cron_or_interval check (num_nonnulls(cron, every_seconds) = 1),
  constraint catch_up_is_known check (catch_up in ('skip', 'latest', 'backfill')),
  constraint only_a_backfill_has_a_limit check ((catch_up = 'backfill') = (catch_up_limit is not null)),
  constraint overlap_is_known check (overlap in ('allow', 'skip')),
  constraint paused_schedule_has_no_message check (paused_at is null or msg_id is null)
);

-- Partial, since a change of the rest then leaves it alone.
create unique index schedule_message on queue.schedule (msg_id) where msg_id is not null;

comment on table queue.schedule is
  'One row a schedule, from schedule_create() to schedule_delete(). Its ticks are worked out by whoever runs a ticker; the database decides which of them are due, and that each is done once.';
comment on column queue.schedule.created_at is 'When schedule_create() was called first.';
comment on column queue.schedule.changed_at is 'When schedule_create() changed something.';
comment on column queue.schedule.done_until is 'Ticks up to then are done with, whatever became of them.';
comment on column queue.schedule.next_tick_at is 'The next tick, without jitter; null while no ticker has worked it out, while paused, and where there is none.';
comment on column queue.schedule.last_tick_at is 'The last tick that was not passed over for being missed.';
comment on column queue.schedule.paused_at is 'Since when the schedule is paused; null: it is not.';
comment on column queue.schedule.last_run_id is 'The run that the schedule started last.';
comment on column queue.schedule.msg_id is 'The message on __schedules that is its next tick; null while paused, and where there is none.';
comment on column queue.schedule.jitter is 'By how much all ticks of the schedule are late at most; the name decides by how much they are.';
comment on column queue.schedule.grace is 'A tick that is later than this is missed, which is what catch_up is about.';
comment on column queue.schedule.every_seconds is 'Length of the interval; its ticks are the multiples of it since 1970. Null: cron.';
comment on column queue.schedule.workflow_version is 'Version of the workflow that runs are started with.';
comment on column queue.schedule.retention_days is 'Days that an ended run is kept; null: the default of workflow_start().';
comment on column queue.schedule.catch_up_limit is 'How many missed ticks a backfill starts runs for at most.';
comment on column queue.schedule.name is 'Identity of the schedule.';
comment on column queue.schedule.workflow_name is 'The workflow that it starts runs of.';
comment on column queue.schedule.cron is 'Cron expression of five or six fields. Null: every_seconds.';
comment on column queue.schedule.time_zone is 'IANA name of the time zone that the cron expression speaks of.';
comment on column queue.schedule.catch_up is 'What becomes of missed ticks: skip, latest (the newest starts a run) or backfill.';
comment on column queue.schedule.overlap is 'Whether a tick starts a run while the run before is running: allow or skip.';
comment on column queue.schedule.pause_reason is 'Why it is paused: what schedule_pause() was told, or what is wrong with the schedule.';
comment on column queue.schedule.input is 'Input of the runs.';
comment on column queue.schedule.tags is 'Tags of the runs, besides the name of the schedule.';
