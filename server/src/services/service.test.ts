import { Emitter } from "@oxbow/sdk/internal/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ServerEvents } from "../events.ts";
import { RepeatedTask, type Task } from "./service.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setup(task: Omit<Task, "doing">): { service: RepeatedTask; troubles: unknown[] } {
  const events = new Emitter<ServerEvents>();
  const troubles: unknown[] = [];
  events.on("trouble", (trouble) => void troubles.push(trouble));
  return { service: new RepeatedTask({ doing: "testing", ...task }, events), troubles };
}

describe("a repeated task", () => {
  it("ticks after the delay that the tick before returned, give or take a tenth", async () => {
    const tick = vi.fn<() => Promise<number>>(async () => 1_000);
    const { service } = setup({ tick });
    service.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(tick).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(880);
    expect(tick).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(231);
    expect(tick).toHaveBeenCalledTimes(2);
    await service.stop();
  });

  it("reports a failed tick, and repeats it after a pause that grows to five seconds", async () => {
    const failure = new Error("no database");
    const tick = vi.fn<() => Promise<number>>(async () => {
      throw failure;
    });
    const { service, troubles } = setup({ tick });
    service.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(troubles).toEqual([{ doing: "testing", error: failure }]);
    await vi.advanceTimersByTimeAsync(1_101);
    expect(tick).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tick.mock.calls.length).toBeGreaterThanOrEqual(11);
    expect(tick.mock.calls.length).toBeLessThanOrEqual(18);
    await service.stop();
  });

  it("stops after its tick and what the tick started, and reports nothing that stopping broke", async () => {
    const steps: string[] = [];
    const { service, troubles } = setup({
      tick: (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            steps.push("tick ended");
            reject(new Error("aborted"));
          });
        }),
      drain: async () => void steps.push("drained"),
    });
    service.start();
    await Promise.all([service.stop(), service.stop()]);
    expect(steps).toEqual(["tick ended", "drained"]);
    expect(troubles).toEqual([]);
  });

  it("that is stopped before it starts never ticks", async () => {
    const tick = vi.fn<() => Promise<number>>(async () => 0);
    const { service } = setup({ tick });
    await service.stop();
    service.start();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(tick).not.toHaveBeenCalled();
  });
});
