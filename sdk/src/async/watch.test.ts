import { getEventListeners } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Pacer } from "./pace.ts";
import { Watch } from "./watch.ts";

describe("a pace", () => {
  const pace = {
    firstMs: 10,
    growth: 2,
    longestMs: 50,
    notified: { growth: 4, longestMs: 1_000 },
  };

  it("gets slower up to its longest wait, and is fast again after a restart", () => {
    const pacer = new Pacer(pace);
    expect(Array.from({ length: 5 }, () => pacer.next())).toEqual([10, 20, 40, 50, 50]);
    pacer.restart();
    expect(pacer.next()).toBe(10);
  });

  it("has other limits while notifications arrive, and keeps the shorter ones once they stop", () => {
    const pacer = new Pacer(pace);
    const waits = Array.from({ length: 5 }, () => pacer.next(true));
    expect(waits).toEqual([10, 40, 160, 640, 1_000]);
    expect(pacer.next()).toBe(50);
  });
});

describe("a watch", () => {
  afterEach(() => void vi.useRealTimers());

  const setup = (firstMs = 60_000): { watch: Watch; stopping: AbortController } => {
    const stopping = new AbortController();
    const pace = { firstMs, growth: 1, longestMs: firstMs };
    return { watch: new Watch({ pace, signal: stopping.signal }), stopping };
  };

  it.each<[string, (watch: Watch, stopping: AbortController) => void]>([
    ["a wake-up", (watch) => watch.wake()],
    ["its signal", (_watch, stopping) => stopping.abort()],
  ])("ends its rest at %s", async (_what, end) => {
    const { watch, stopping } = setup();
    const rest = watch.rest();
    end(watch, stopping);
    await rest;
    expect(getEventListeners(stopping.signal, "abort")).toEqual([]);
  });

  it("rests until the next poll, or until something is due", async () => {
    await setup(1).watch.rest();
    await setup().watch.rest(1);
  });

  it("does not rest after a wake-up during the look, once", async () => {
    const { watch } = setup();
    watch.wake();
    await watch.rest();
    let isOver = false;
    const rest = watch.rest().then(() => {
      isOver = true;
    });
    await setup(5).watch.rest();
    expect(isOver).toBe(false);
    watch.wake();
    await rest;
  });

  it("looks ever less often at what is due and out of reach, until a wake-up", async () => {
    vi.useFakeTimers();
    const { watch } = setup();
    const restMs = async (): Promise<number> => {
      const before = performance.now();
      const rest = watch.rest(0);
      await vi.advanceTimersToNextTimerAsync();
      await rest;
      return performance.now() - before;
    };
    for (const ms of [1, 4, 16, 64, 250, 250]) expect(await restMs()).toBe(ms);
    const rest = watch.rest(0);
    watch.wake();
    await rest;
    expect(await restMs()).toBe(1);
  });
});
