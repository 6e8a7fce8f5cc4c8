/** Which ticks of a schedule are carried out at a moment, and which one comes next. Knows no clock. */
import type { TickTimes } from "./tick-times.ts";

/** The handling of missed ticks: how many of the newest are made up for, if any. */
export type CatchUpMode = "skip" | "latest" | "backfill";

export interface DueRequest {
  readonly times: TickTimes;
  /** Ticks up to then are done with. */
  readonly doneUntilMs: number;
  /** Ticks up to then have come. */
  readonly nowMs: number;
  /** A tick that is later than this was missed. */
  readonly graceMs: number;
  readonly catchUp: CatchUpMode;
  /** Maximum number of ticks of a backfill. */
  readonly catchUpLimit: number | undefined;
}

export interface DueTicks {
  /** In order. */
  readonly ticks: readonly number[];
  /** The first tick after those; it may have come already. Undefined after the last tick. */
  readonly next: number | undefined;
}

/** One transaction starts no more runs than this; the rest is carried out right after it. */
const MAX_TICKS = 500;

export function dueTicks(request: DueRequest): DueTicks {
  const { times, nowMs } = request;
  const inTime = ticksInTime(request);
  const due = [...missedTicks(request, inTime.length > 0), ...inTime];
  return { ticks: due.slice(0, MAX_TICKS), next: due[MAX_TICKS] ?? times.next(nowMs) };
}

/** One more than are carried out, to know whether there are more. */
function ticksInTime({ times, doneUntilMs, nowMs, graceMs }: DueRequest): number[] {
  const ticks: number[] = [];
  // A tick that is late by the grace itself is in time.
  let tick = times.next(Math.max(doneUntilMs, nowMs - graceMs - 1));
  while (tick !== undefined && tick <= nowMs && ticks.length <= MAX_TICKS) {
    ticks.push(tick);
    tick = times.next(tick);
  }
  return ticks;
}

function missedTicks(request: DueRequest, hasNewer: boolean): number[] {
  const { times, doneUntilMs, nowMs, graceMs, catchUp, catchUpLimit = 0 } = request;
  const untilMs = nowMs - graceMs - 1;
  if (untilMs <= doneUntilMs) return [];
  switch (catchUp) {
    case "skip":
      return [];
    case "latest":
      return hasNewer ? [] : times.newest(1, doneUntilMs, untilMs);
    case "backfill":
      return times.newest(catchUpLimit, doneUntilMs, untilMs);
    default:
      return catchUp satisfies never;
  }
}
