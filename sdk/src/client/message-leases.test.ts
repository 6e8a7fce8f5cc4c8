import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { nextTurn } from "../async/next-turn.ts";
import { MessageLeases } from "./message-leases.ts";

const LEASE_MS = 10_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function latch() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function setup(extend: (receipt: string) => Promise<boolean>) {
  const asked: string[] = [];
  const errors: unknown[] = [];
  const lost: string[] = [];
  const leases = new MessageLeases({
    leaseMs: LEASE_MS,
    extend: (receipt) => {
      asked.push(receipt);
      return extend(receipt);
    },
    onError: (error) => void errors.push(error),
  });
  const hold = (receipt: string): void => leases.hold(receipt, () => void lost.push(receipt));
  return { leases, hold, asked, errors, lost };
}

describe("message leases", () => {
  it("are extended when half of their time has passed, as often as needed", async () => {
    const { hold, asked, lost, leases } = setup(() => Promise.resolve(true));
    hold("a");
    await vi.advanceTimersByTimeAsync(LEASE_MS / 2 - 1);
    expect(asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(3 * LEASE_MS);
    expect(asked.length).toBeGreaterThanOrEqual(5);
    expect(asked.length).toBeLessThanOrEqual(6);
    expect(lost).toEqual([]);
    leases.release("a");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("cost nothing where a message is done before", async () => {
    const { leases, hold, asked } = setup(() => Promise.resolve(true));
    hold("a");
    await vi.advanceTimersByTimeAsync(LEASE_MS / 4);
    leases.release("a");
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    expect(asked).toEqual([]);
  });

  it("that another consumer has are lost immediately, the others are not", async () => {
    const { hold, lost, leases } = setup((receipt) => Promise.resolve(receipt !== "a"));
    hold("a");
    hold("b");
    await vi.advanceTimersByTimeAsync(LEASE_MS * 0.7);
    expect(lost).toEqual(["a"]);
    leases.release("b");
  });

  it("are lost when their time is over and the database could not be asked", async () => {
    const { hold, errors, lost } = setup(() => Promise.reject(new Error("unreachable")));
    hold("a");
    await vi.advanceTimersByTimeAsync(LEASE_MS - 1_000);
    expect(errors.length).toBeGreaterThan(1);
    expect(lost).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(lost).toEqual(["a"]);
  });

  it("are lost when their time is over and there is no answer", async () => {
    const { hold, lost } = setup(() => new Promise(() => {}));
    hold("a");
    await vi.advanceTimersByTimeAsync(LEASE_MS - 1_000);
    expect(lost).toEqual([]);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(lost).toEqual(["a"]);
  });

  it("are asked about, and not given up, after the process stood still", async () => {
    const { hold, asked, lost, leases } = setup(() => Promise.resolve(true));
    hold("a");
    // A timer that fires late, and only once.
    const now = performance.now.bind(performance);
    const late = vi.spyOn(performance, "now").mockImplementation(() => now() + 3 * LEASE_MS);
    await vi.advanceTimersByTimeAsync(1_001);
    expect(asked).toEqual(["a"]);
    expect(lost).toEqual([]);
    late.mockRestore();
    leases.release("a");
  });

  it("are kept if their extension was answered while the process was busy", async () => {
    vi.useRealTimers();
    let extensions = 0;
    const { opened: extended, open } = latch();
    const leases = new MessageLeases({
      leaseMs: 100,
      extend: async () => {
        extensions += 1;
        if (extensions > 1) open();
        else {
          await nextTurn();
          const until = performance.now() + 300;
          while (performance.now() < until);
          await nextTurn();
        }
        return true;
      },
      onError: () => {},
    });
    const lost = vi.fn<() => void>(open);
    leases.hold("a", lost);
    await extended;
    leases.release("a");
    expect(lost).not.toHaveBeenCalled();
  });

  it("are not extended once they have ended", async () => {
    const { opened: answered, open } = latch();
    const { leases, hold, asked } = setup(() => answered.then(() => true));
    hold("a");
    await vi.advanceTimersByTimeAsync(LEASE_MS * 0.7);
    expect(asked).toEqual(["a"]);
    let isOver = false;
    const ended = leases.end("a").then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    expect(isOver).toBe(false);
    open();
    await ended;
    expect(asked).toEqual(["a"]);
  });
});
