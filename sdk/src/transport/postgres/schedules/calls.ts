/** The SQL text that the SDK sends for schedules: one constant a function. */
import { call } from "../connection/call.ts";

/** What is null is left to the function's own default. */
export const scheduleCreate = call(
  "schedule_create",
  `select queue.schedule_create(
     name => $1::text, workflow => $2::text, cron => $3::text, every_seconds => $4::integer, time_zone => coalesce($5::text, 'UTC'),
     input => $6::jsonb, version => $7::integer, tags => $8::jsonb, retention_days => $9::integer,
     jitter_seconds => coalesce($10::numeric, 0), catch_up => coalesce($11::text, 'latest'), catch_up_limit => $12::integer,
     grace_seconds => coalesce($13::numeric, 60), overlap => coalesce($14::text, 'allow')) as outcome`,
);

export const scheduleDelete = call(
  "schedule_delete",
  `select queue.schedule_delete(name => $1::text) as changed`,
);

export const schedulePause = call(
  "schedule_pause",
  `select queue.schedule_pause(name => $1::text, reason => $2::text) as changed`,
);

export const scheduleResume = call(
  "schedule_resume",
  `select queue.schedule_resume(name => $1::text) as changed`,
);

export const scheduleTrigger = call(
  "schedule_trigger",
  `select run_id::text, created, status from queue.schedule_trigger(name => $1::text)`,
);

export const scheduleList = call(
  "schedule_list",
  `select name, workflow, version, cron, every_seconds, time_zone, input, tags, retention_days,
     jitter_seconds::float8 * 1000 as jitter_ms, catch_up, catch_up_limit,
     grace_seconds::float8 * 1000 as grace_ms, overlap, created_at, changed_at, paused_at, pause_reason,
     next_tick_at, last_tick_at, last_run_id
   from queue.schedule_list(name => $1)`,
);

export const scheduleNextIn = call(
  "schedule_next_in",
  `select extract(epoch from queue.schedule_next_tick_at() - clock_timestamp())::float8 * 1000 as delay`,
);

export const scheduleReceive = call(
  "schedule_receive",
  `select receipt, visible_at, message
   from queue.schedule_receive(max_ticks => $1, visibility_timeout => $2)`,
);

export const scheduleTick = call(
  "schedule_tick",
  `select outcome, to_jsonb(run_ids::text[]) as run_ids
   from queue.schedule_tick(
     receipt => $1, ticks => $2::timestamptz[], next_tick_at => $3::timestamptz, problem => $4)`,
);
