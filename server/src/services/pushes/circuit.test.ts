import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Circuit } from "./circuit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("waits longer after each failure, a minute at most, until a run was executed", () => {
  const circuit = new Circuit();
  const waits = Array.from({ length: 8 }, () => circuit.open());
  for (const [index, ms] of waits.entries()) {
    const usual = Math.min(60_000, 1_000 * 2 ** index);
    expect(Math.abs(ms - usual)).toBeLessThanOrEqual(usual * 0.2);
  }
  circuit.succeeded();
  expect(circuit.open()).toBeLessThanOrEqual(1_200);
});

it("must wait for as long as the endpoint has asked, a minute at most", () => {
  const circuit = new Circuit();
  circuit.open();
  expect([circuit.isOpen, circuit.mustWait]).toEqual([true, false]);
  expect(circuit.open(5_000)).toBeGreaterThanOrEqual(5_000);
  vi.advanceTimersByTime(4_999);
  expect(circuit.mustWait).toBe(true);
  vi.advanceTimersByTime(1);
  expect(circuit.mustWait).toBe(false);
  circuit.open(3_600_000);
  vi.advanceTimersByTime(60_000);
  expect(circuit.mustWait).toBe(false);
  circuit.close();
  expect([circuit.isOpen, circuit.mustWait]).toEqual([false, false]);
});
