import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startAwakeTimer } from "./awake-timer.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Passes time, and lets the event loop turn in each step of it. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1) {
    vi.advanceTimersByTime(1);
    await nextTurn();
  }
}

it("calls once after its time, and not before", async () => {
  const call = vi.fn<() => void>();
  startAwakeTimer(100, call);
  await pass(99);
  expect(call).not.toHaveBeenCalled();
  await pass(100);
  expect(call).toHaveBeenCalledTimes(1);
});

it("counts a stall of the process as a tenth of its time", async () => {
  const call = vi.fn<() => void>();
  startAwakeTimer(100, call);
  vi.advanceTimersByTime(1_000);
  await nextTurn();
  await pass(89);
  expect(call).not.toHaveBeenCalled();
  await pass(1);
  expect(call).toHaveBeenCalledTimes(1);
});

it("calls nothing once it is stopped, also between the two halves of a part", async () => {
  const call = vi.fn<() => void>();
  const stop = startAwakeTimer(10, call);
  await pass(9);
  vi.advanceTimersByTime(1);
  stop();
  await pass(20);
  expect(call).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
