/** Schedules, straight to the database: each method one call of one SQL function. */
import type { RunStatus, StartedRun } from "../../../protocol/runs.ts";
import type {
  CreateScheduleRequest,
  Overlap,
  ScheduleOutcome,
  ScheduleRecord,
  ScheduleTransport,
} from "../../../protocol/schedules.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
import type { CatchUpMode } from "../../../schedule/due-ticks.ts";
import type { Call } from "../connection/call.ts";
import type { Pool } from "../connection/pool.ts";
import {
  scheduleCreate,
  scheduleDelete,
  scheduleList,
  schedulePause,
  scheduleResume,
  scheduleTrigger,
} from "./calls.ts";

interface ScheduleRow {
  readonly name: string;
  readonly workflow: string;
  readonly version: number | null;
  readonly cron: string | null;
  readonly every_seconds: number | null;
  readonly time_zone: string;
  readonly input: unknown;
  readonly tags: unknown;
  readonly retention_days: number | null;
  readonly jitter_ms: number;
  readonly catch_up: CatchUpMode;
  readonly catch_up_limit: number | null;
  readonly grace_ms: number;
  readonly overlap: Overlap;
  readonly created_at: Date;
  readonly changed_at: Date;
  readonly paused_at: Date | null;
  readonly pause_reason: string | null;
  readonly next_tick_at: Date | null;
  readonly last_tick_at: Date | null;
  readonly last_run_id: string | null;
}

interface StartedRow {
  readonly run_id: string;
  readonly created: boolean;
  readonly status: RunStatus;
}

export class PostgresScheduleTransport implements ScheduleTransport {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async create(request: CreateScheduleRequest, tx?: TransactionClient): Promise<ScheduleOutcome> {
    const row = await this.#pool.queryOne<{ outcome: ScheduleOutcome }>(
      scheduleCreate,
      [
        request.name,
        request.workflow,
        request.cron ?? null,
        request.everySeconds ?? null,
        request.timeZone ?? null,
        request.input ?? null,
        request.version ?? null,
        request.tags ?? null,
        request.retentionDays ?? null,
        toSeconds(request.jitterMs),
        request.catchUp ?? null,
        request.catchUpLimit ?? null,
        toSeconds(request.graceMs),
        request.overlap ?? null,
      ],
      { tx },
    );
    return row.outcome;
  }

  delete(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.#change(scheduleDelete, [name], tx);
  }

  pause(name: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean> {
    return this.#change(schedulePause, [name, reason ?? null], tx);
  }

  resume(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.#change(scheduleResume, [name], tx);
  }

  async trigger(name: string, tx?: TransactionClient): Promise<StartedRun> {
    const row = await this.#pool.queryOne<StartedRow>(scheduleTrigger, [name], { tx });
    return { runId: row.run_id, created: row.created, status: row.status };
  }

  async list(name: string | undefined): Promise<ScheduleRecord[]> {
    const rows = await this.#pool.query<ScheduleRow>(scheduleList, [name ?? null]);
    return rows.map(toSchedule);
  }

  async #change(change: Call, values: unknown[], tx?: TransactionClient): Promise<boolean> {
    const row = await this.#pool.queryOne<{ changed: boolean }>(change, values, { tx });
    return row.changed;
  }
}

const toSeconds = (ms: number | undefined): number | null => (ms === undefined ? null : ms / 1000);

const toSchedule = (row: ScheduleRow): ScheduleRecord => ({
  name: row.name,
  workflow: row.workflow,
  version: row.version,
  cron: row.cron,
  everySeconds: row.every_seconds,
  timeZone: row.time_zone,
  input: row.input,
  tags: row.tags,
  retentionDays: row.retention_days,
  jitterMs: row.jitter_ms,
  catchUp: row.catch_up,
  catchUpLimit: row.catch_up_limit,
  graceMs: row.grace_ms,
  overlap: row.overlap,
  createdAt: row.created_at,
  changedAt: row.changed_at,
  pausedAt: row.paused_at,
  pauseReason: row.pause_reason,
  nextTickAt: row.next_tick_at,
  lastTickAt: row.last_tick_at,
  lastRunId: row.last_run_id,
});
