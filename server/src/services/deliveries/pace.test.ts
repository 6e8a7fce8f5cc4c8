import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DeliveryPace } from "./pace.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const done = { durationMs: 100, failed: false, retryAfterMs: undefined };
const failed = { ...done, failed: true };

/** How many of some get a place. */
const entered = (pace: DeliveryPace, subscription: string, count: number): number =>
  Array.from({ length: count }, () => pace.enter(subscription, 4)).filter(Boolean).length;

describe("DeliveryPace", () => {
  it("has as many places as the concurrency of each subscription", () => {
    const pace = new DeliveryPace();
    expect(entered(pace, "a", 10)).toBe(4);
    expect(entered(pace, "b", 10)).toBe(4);
    pace.leave("a", done);
    expect(entered(pace, "a", 10)).toBe(1);
  });

  it("has one place for a target that fails five times in a row, until it succeeds", () => {
    const pace = new DeliveryPace();
    for (let n = 0; n < 5; n += 1) {
      expect(entered(pace, "a", 1)).toBe(1);
      pace.leave("a", failed);
    }
    expect(entered(pace, "a", 10)).toBe(1);
    pace.leave("a", done);
    expect(entered(pace, "a", 10)).toBe(4);
  });

  it("has no place while a target asks for a pause, for a quarter of an hour at most", () => {
    const pace = new DeliveryPace();
    pace.enter("a", 4);
    pace.leave("a", { ...failed, retryAfterMs: 5_000 });
    expect(entered(pace, "a", 1)).toBe(0);
    expect(pace.putOff("a", 10)).toBe(5_000);
    vi.advanceTimersByTime(5_001);
    expect(entered(pace, "a", 1)).toBe(1);
    pace.leave("a", { ...failed, retryAfterMs: 86_400_000 });
    expect(pace.putOff("a", 1)).toBe(900_000);
  });

  it("puts off what exceeds it for as long as those before it will take, two minutes at most", () => {
    const pace = new DeliveryPace();
    entered(pace, "a", 4);
    // 40 requests of 100 ms, four at a time.
    expect(pace.putOff("a", 40)).toBe(1_000);
    expect(pace.putOff("a", 40)).toBe(2_000);
    expect(pace.putOff("a", 1_000_000)).toBe(120_000);
    expect(pace.putOff("b", 1)).toBe(100);
  });
});
