/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { Call } from "../../../protocol/rooms.ts";
import { call, type Texts } from "../connection/call.ts";

export const scheduleCreate: Call<
  readonly [
    name: string | null,
    workflow: string | null,
    cron: string | null,
    everySeconds: number | null,
    timeZone: string | null,
    input: string | null,
    version: number | null,
    tags: string | null,
    retentionDays: number | null,
    jitterSeconds: number | null,
    catchUp: string | null,
    catchUpLimit: number | null,
    graceSeconds: number | null,
    overlap: string | null,
  ],
  { readonly value: "created" | "changed" | "unchanged" }
> = call(
  "schedule_create",
  `select queue.schedule_create(
    name => $1::text, workflow => $2::text, cron => $3::text, every_seconds => $4::integer,
    time_zone => coalesce($5::text, 'UTC'), input => $6::jsonb, version => $7::integer,
    tags => $8::jsonb, retention_days => $9::integer, jitter_seconds => coalesce($10::numeric, 0),
    catch_up => coalesce($11::text, 'latest'), catch_up_limit => $12::integer,
    grace_seconds => coalesce($13::numeric, 60), overlap => coalesce($14::text, 'allow')) as value`,
);

export const scheduleDelete: Call<readonly [name: string | null], { readonly value: boolean }> =
  call("schedule_delete", `select queue.schedule_delete(name => $1::text) as value`);

export const schedulePause: Call<
  readonly [name: string | null, reason: string | null],
  { readonly value: boolean }
> = call(
  "schedule_pause",
  `select queue.schedule_pause(name => $1::text, reason => $2::text) as value`,
);

export const scheduleResume: Call<readonly [name: string | null], { readonly value: boolean }> =
  call("schedule_resume", `select queue.schedule_resume(name => $1::text) as value`);

export interface StartedRunRow {
  readonly runId: string;
  readonly created: boolean;
  readonly status: "running" | "completed" | "failed" | "cancelled";
}

export const scheduleTrigger: Call<readonly [name: string | null], StartedRunRow> = call(
  "schedule_trigger",
  `select run_id::text as "runId", created, status
  from queue.schedule_trigger(name => $1::text) as answer`,
);

export interface ScheduleInfoRow {
  readonly name: string;
  readonly workflow: string;
  readonly version: number | null;
  readonly cron: string | null;
  readonly everySeconds: number | null;
  readonly timeZone: string;
  readonly input: unknown;
  readonly tags: unknown;
  readonly retentionDays: number | null;
  readonly jitterMs: number;
  readonly catchUp: "skip" | "latest" | "backfill";
  readonly catchUpLimit: number | null;
  readonly graceMs: number;
  readonly overlap: "allow" | "skip";
  readonly createdAt: Date;
  readonly changedAt: Date;
  readonly pausedAt: Date | null;
  readonly pauseReason: string | null;
  readonly nextTickAt: Date | null;
  readonly lastTickAt: Date | null;
  readonly lastRunId: string | null;
}

export const scheduleList: Call<readonly [name: string | null], ScheduleInfoRow> = call(
  "schedule_list",
  `select name, workflow, version, cron, every_seconds as "everySeconds", time_zone as "timeZone", input,
    tags, retention_days as "retentionDays", jitter_seconds::float8 * 1000 as "jitterMs",
    catch_up as "catchUp", catch_up_limit as "catchUpLimit",
    grace_seconds::float8 * 1000 as "graceMs", overlap, created_at as "createdAt",
    changed_at as "changedAt", paused_at as "pausedAt", pause_reason as "pauseReason",
    next_tick_at as "nextTickAt", last_tick_at as "lastTickAt", last_run_id::text as "lastRunId"
  from queue.schedule_list(name => $1::text) as answer`,
);

export interface DeliveryRow {
  readonly receipt: string;
  readonly visibleAt: Date;
  readonly message: unknown;
}

export const scheduleReceive: Call<
  readonly [maxTicks: number | null, visibilityTimeout: number | null],
  DeliveryRow
> = call(
  "schedule_receive",
  `select receipt::text as "receipt", visible_at as "visibleAt", message
  from queue.schedule_receive(
    max_ticks => $1::integer, visibility_timeout => $2::integer) as answer`,
);

export interface TickedScheduleRow {
  readonly outcome: "ok" | "lost";
  readonly runIds: readonly (string | null)[] | null;
}

export const scheduleTick: Call<
  readonly [
    receipt: string | null,
    ticks: Texts | null,
    nextTickAt: string | null,
    problem: string | null,
  ],
  TickedScheduleRow
> = call(
  "schedule_tick",
  `select outcome, to_jsonb(run_ids::text[]) as "runIds"
  from queue.schedule_tick(
    receipt => $1::bigint, ticks => $2::timestamptz[], next_tick_at => $3::timestamptz,
    problem => $4::text) as answer`,
);
