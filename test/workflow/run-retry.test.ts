import { RunFailed } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

const backoff = (base: string | number) => ({ kind: "fixed", base, jitter: 0 }) as const;

describe("runRetry", () => {
  it("tries a failed run again, calls no step again that succeeded, and shows what failed", async () => {
    const calls: string[] = [];
    const flaky = workflow({
      name: "flaky-run",
      retry: { attempts: 1 },
      runRetry: { attempts: 3, backoff: backoff("50ms") },
      run: async (ctx) => {
        await ctx.step.run("first", () => void calls.push("first"));
        return ctx.step.run("second", () => {
          calls.push("second");
          if (calls.length < 4) throw new Error(`down ${calls.length}`);
          return "up";
        });
      },
    });
    bench.serve([flaky]);
    const run = await bench.client.start(flaky, undefined);
    expect(await run.result({ timeout: "60s" })).toBe("up");
    expect(calls).toEqual(["first", "second", "second", "second"]);
    expect(await bench.client.runs.find(run.runId)).toMatchObject({
      status: "completed",
      retried: 2,
      failures: [
        { attempt: 1, error: { code: "STEP_FAILED", cause: { message: "down 2" } } },
        { attempt: 2, error: { cause: { message: "down 3" } } },
      ],
    });
    expect(await bench.violations()).toEqual([]);
  });

  it("fails the run after its last attempt, which a retry by hand follows with new ones", async () => {
    let calls = 0;
    const hopeless = workflow({
      name: "hopeless-run",
      runRetry: { attempts: 2, backoff: backoff(0) },
      run: () => {
        calls += 1;
        throw new Error("no");
      },
    });
    bench.serve([hopeless]);
    const run = await bench.client.start(hopeless, undefined);
    await expect(run.result({ timeout: "60s" })).rejects.toBeInstanceOf(RunFailed);
    expect(calls).toBe(2);
    await run.retry();
    await expect(run.result({ timeout: "60s" })).rejects.toBeInstanceOf(RunFailed);
    expect(calls).toBe(4);
  });

  it("waits for its back-off as retrying, and a cancellation ends it", async () => {
    const waiting = workflow({
      name: "waiting-run",
      runRetry: { attempts: 2, backoff: backoff("1h") },
      run: () => {
        throw new Error("later");
      },
    });
    bench.serve([waiting]);
    const run = await bench.client.start(waiting, undefined);
    const state = await eventually(() => bench.client.runs.find(run.runId), {
      activity: "retrying",
    });
    expect((state.resumesAt?.getTime() ?? 0) - state.startedAt.getTime()).toBeGreaterThan(
      3_599_000,
    );
    expect(state).toMatchObject({ error: null, failures: [{ error: { message: "later" } }] });
    await run.cancel();
    expect((await bench.client.runs.find(run.runId)).status).toBe("cancelled");
  });

  it("starts its children again, and its parent waits for the last attempt", async () => {
    let failures = 0;
    const child = workflow({
      name: "failing-child",
      run: () => {
        failures += 1;
        if (failures < 2) throw new Error("child");
        return "done";
      },
    });
    const middle = workflow({
      name: "retried-parent",
      runRetry: { attempts: 2, backoff: backoff(0) },
      run: (ctx) => ctx.step.invoke("child", child, undefined),
    });
    const top = workflow({
      name: "patient-parent",
      run: (ctx) => ctx.step.invoke("middle", middle, undefined),
    });
    bench.serve([child, middle, top]);
    const run = await bench.client.start(top, undefined);
    expect(await run.result({ timeout: "60s" })).toBe("done");
    expect(await bench.client.runs.count({ workflow: "failing-child" })).toBe(2);
    expect(await bench.violations()).toEqual([]);
  });
});
