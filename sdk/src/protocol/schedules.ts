/** Schedules: one method a SQL function. Lengths of time in milliseconds. */
import type { JsonText } from "../core/json.ts";
import type { CatchUpMode } from "../schedule/due-ticks.ts";
import type { HintSubscription } from "./hints.ts";
import type { StartedRun } from "./runs.ts";
import type { TransactionClient } from "./transaction.ts";

/** Whether a tick starts a run while the schedule's last one is running. */
export type Overlap = "allow" | "skip";

/** The result of `create`. */
export type ScheduleOutcome = "created" | "changed" | "unchanged";

export interface CreateScheduleRequest {
  readonly name: string;
  readonly workflow: string;
  /** Version to start; undefined for the latest that is registered at each tick. */
  readonly version: number | undefined;
  readonly cron: string | undefined;
  readonly everySeconds: number | undefined;
  readonly timeZone: string | undefined;
  readonly input: JsonText | undefined;
  readonly tags: JsonText | undefined;
  readonly retentionDays: number | undefined;
  readonly jitterMs: number | undefined;
  readonly catchUp: CatchUpMode | undefined;
  readonly catchUpLimit: number | undefined;
  readonly graceMs: number | undefined;
  readonly overlap: Overlap | undefined;
}

/** A schedule as the database knows it, before `input` is decoded. */
export interface ScheduleRecord {
  readonly name: string;
  readonly workflow: string;
  /** Null for the latest that is registered at each tick. */
  readonly version: number | null;
  /** Null for an interval. */
  readonly cron: string | null;
  /** Null: cron. */
  readonly everySeconds: number | null;
  readonly timeZone: string;
  readonly input: unknown;
  readonly tags: unknown;
  readonly retentionDays: number | null;
  readonly jitterMs: number;
  readonly catchUp: CatchUpMode;
  readonly catchUpLimit: number | null;
  readonly graceMs: number;
  readonly overlap: Overlap;
  readonly createdAt: Date;
  readonly changedAt: Date;
  readonly pausedAt: Date | null;
  readonly pauseReason: string | null;
  readonly nextTickAt: Date | null;
  readonly lastTickAt: Date | null;
  readonly lastRunId: string | null;
}

export interface ScheduleTransport {
  create(request: CreateScheduleRequest, tx?: TransactionClient): Promise<ScheduleOutcome>;
  delete(name: string, tx?: TransactionClient): Promise<boolean>;
  pause(name: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean>;
  resume(name: string, tx?: TransactionClient): Promise<boolean>;
  trigger(name: string, tx?: TransactionClient): Promise<StartedRun>;
  /** Lists the schedule with a name, or all schedules without one. */
  list(name: string | undefined): Promise<ScheduleRecord[]>;
}

/** A schedule that a ticker is to look at. Instants in milliseconds since 1970. */
export interface DueSchedule {
  /** Proof of the delivery. */
  readonly receipt: string;
  readonly name: string;
  readonly cron: string | undefined;
  readonly everySeconds: number | undefined;
  readonly timeZone: string;
  readonly doneUntilMs: number;
  /** Ticks up to then have come, by the database's clock. */
  readonly nowMs: number;
  readonly graceMs: number;
  readonly catchUp: CatchUpMode;
  readonly catchUpLimit: number | undefined;
}

/** The report of a ticker on a schedule that it has leased. */
interface TickReport {
  readonly receipt: string;
  /** Ticks to carry out, in order. */
  readonly ticks: readonly number[];
  /** The first tick after them; undefined after the last tick. */
  readonly next: number | undefined;
  /** Why no ticks could be worked out: the schedule is paused. */
  readonly problem?: string | undefined;
}

/** The run of each tick, null for ticks that started no run; undefined if the schedule is no longer this ticker's. */
type TickOutcome = readonly (string | null)[] | undefined;

export interface TickTransport {
  /** Milliseconds until a schedule is due, at most 0 if one is; null while no schedule exists. */
  nextIn(): Promise<number | null>;
  /** Waits for schedules to look at, and leases them. Rejects when the signal aborts. */
  receive(request: {
    readonly max: number;
    readonly leaseMs: number;
    readonly waitMs: number;
    readonly signal: AbortSignal;
  }): Promise<DueSchedule[]>;
  report(report: TickReport): Promise<TickOutcome>;
  /** Calls back when there may be a first schedule. */
  listen(onHint: () => void): HintSubscription;
}
