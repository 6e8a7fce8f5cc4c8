import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startTimer } from "./timer.ts";

const DAY_MS = 86_400_000;

describe("a timer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([1, 24, 25, 30, 365])("of %i days calls then, once, and not before", (days) => {
    const call = vi.fn<() => void>();
    startTimer(days * DAY_MS, call);
    vi.advanceTimersByTime(days * DAY_MS - 1);
    expect(call).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1 + 60 * DAY_MS);
    expect(call).toHaveBeenCalledTimes(1);
  });

  it("that is stopped calls nothing, however long it has gone", () => {
    const call = vi.fn<() => void>();
    const stop = startTimer(100 * DAY_MS, call);
    vi.advanceTimersByTime(70 * DAY_MS);
    stop();
    vi.advanceTimersByTime(70 * DAY_MS);
    expect(call).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
