import { describe, expect, it } from "vitest";
import { type CatchUpMode, dueTicks } from "./due-ticks.ts";
import { tickTimes } from "./tick-times.ts";

const MINUTE_MS = 60_000;
const NOON = Date.UTC(2026, 4, 1, 12);

/** Ticks of every ten minutes, as minutes from noon. */
function due(options: {
  readonly doneUntil: number;
  readonly now: number;
  readonly catchUp: CatchUpMode;
  readonly limit?: number;
  readonly everySeconds?: number;
}): { readonly ticks: number[]; readonly next: number } {
  const { ticks, next = Number.NaN } = dueTicks({
    times: tickTimes({ everySeconds: options.everySeconds ?? 600 }, "the test"),
    doneUntilMs: NOON + options.doneUntil * MINUTE_MS,
    nowMs: NOON + options.now * MINUTE_MS,
    graceMs: MINUTE_MS,
    catchUp: options.catchUp,
    catchUpLimit: options.limit,
  });
  const toMinutes = (ms: number): number => (ms - NOON) / MINUTE_MS;
  return { ticks: ticks.map(toMinutes), next: toMinutes(next) };
}

const MODES: readonly CatchUpMode[] = ["skip", "latest", "backfill"];

describe("a tick in time", () => {
  it.each(MODES)("is carried out, and the next one is after it (%s)", (catchUp) => {
    const limit = 3;
    expect(due({ doneUntil: 0, now: 10, catchUp, limit })).toEqual({ ticks: [10], next: 20 });
    expect(due({ doneUntil: 0, now: 11, catchUp, limit })).toEqual({ ticks: [10], next: 20 });
    expect(due({ doneUntil: 0, now: 9.9, catchUp, limit })).toEqual({ ticks: [], next: 10 });
    expect(due({ doneUntil: 10, now: 10, catchUp, limit })).toEqual({ ticks: [], next: 20 });
  });
});

describe("ticks that were missed", () => {
  const missed = { doneUntil: 0, now: 55 };

  it("are skipped", () => {
    expect(due({ ...missed, catchUp: "skip" })).toEqual({ ticks: [], next: 60 });
    expect(due({ ...missed, now: 60.5, catchUp: "skip" })).toEqual({ ticks: [60], next: 70 });
  });

  it("are carried out for the newest, unless one has come in time", () => {
    expect(due({ ...missed, catchUp: "latest" })).toEqual({ ticks: [50], next: 60 });
    expect(due({ ...missed, now: 60.5, catchUp: "latest" })).toEqual({ ticks: [60], next: 70 });
  });

  it("are filled in, in order, the newest of them", () => {
    expect(due({ ...missed, catchUp: "backfill", limit: 100 })).toEqual({
      ticks: [10, 20, 30, 40, 50],
      next: 60,
    });
    expect(due({ ...missed, now: 60, catchUp: "backfill", limit: 2 })).toEqual({
      ticks: [40, 50, 60],
      next: 70,
    });
  });

  it("are carried out some at a time when they are many", () => {
    const first = due({
      doneUntil: 0,
      now: 1_000,
      catchUp: "backfill",
      limit: 900,
      everySeconds: 60,
    });
    expect(first.ticks).toHaveLength(500);
    expect(first.next).toBe((first.ticks.at(-1) ?? 0) + 1);
    const rest = due({
      doneUntil: first.ticks.at(-1) ?? 0,
      now: 1_000,
      catchUp: "backfill",
      limit: 900,
      everySeconds: 60,
    });
    expect(rest.ticks[0]).toBe(first.next);
    expect(rest).toMatchObject({ next: 1_001 });
  });
});
