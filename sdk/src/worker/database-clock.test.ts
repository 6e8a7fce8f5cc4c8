import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DatabaseClock } from "./database-clock.ts";

const T0 = Date.UTC(2026, 0, 1);

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"], now: 0 }));
afterEach(() => void vi.useRealTimers());

/** The answer of a request that is sent now. */
function answer(clock: DatabaseClock, databaseMs: number, roundTripMs: number): void {
  const sentAt = performance.now();
  vi.advanceTimersByTime(roundTripMs);
  clock.sample({ databaseMs, sentAt, answeredAt: performance.now() });
}

it("knows the database's time within what one answer took", () => {
  const clock = new DatabaseClock();
  answer(clock, T0, 400);
  expect([clock.now(), clock.latest()]).toEqual([T0, T0 + 400]);
  vi.advanceTimersByTime(100);
  expect(clock.now()).toBeGreaterThan(T0 + 98);
  expect(clock.latest()).toBeLessThan(T0 + 502);
});

it("keeps the closest bounds of all answers", () => {
  const clock = new DatabaseClock();
  answer(clock, T0, 400);
  answer(clock, T0 + 402, 4);
  expect(clock.latest() - clock.now()).toBeLessThanOrEqual(6);
  answer(clock, T0 + 410, 1_000);
  expect(clock.latest() - clock.now()).toBeLessThanOrEqual(6);
});

it("trusts old answers less: clocks don't run at quite the same speed", () => {
  const clock = new DatabaseClock();
  answer(clock, T0, 2);
  vi.advanceTimersByTime(3_600_000);
  expect(clock.now()).toBeLessThan(T0 + 3_600_000 - 300);
  expect(clock.latest()).toBeGreaterThan(T0 + 3_600_002 + 300);
});

it.each([
  ["ahead", 3_600_000],
  ["back", -3_600_000],
])("follows the database's clock immediately when that was set %s", (_where, byMs) => {
  const clock = new DatabaseClock();
  answer(clock, T0, 2);
  answer(clock, T0 + byMs, 2);
  expect([clock.now(), clock.latest()]).toEqual([T0 + byMs, T0 + byMs + 2]);
});
