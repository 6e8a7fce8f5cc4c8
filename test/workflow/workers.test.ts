import { setTimeout as pause } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

describe("a worker", () => {
  it("executes no more runs at once than it has slots, and in the end all", async () => {
    let running = 0;
    let most = 0;
    const counted = workflow({
      name: "counted",
      run: (ctx) =>
        ctx.step.run("work", async () => {
          running += 1;
          most = Math.max(most, running);
          await pause(5);
          running -= 1;
        }),
    });
    const runs = await Promise.all(
      Array.from({ length: 30 }, () => bench.client.start(counted, undefined)),
    );
    bench.serve([counted], { concurrency: 4 });
    await Promise.all(runs.map((run) => run.result({ timeout: "60s" })));
    expect(most).toBeLessThanOrEqual(4);
    expect(most).toBeGreaterThan(1);
  });

  it("that stops lets its callbacks finish, journals them, and gives its runs back", async () => {
    let release = () => {};
    const calls: string[] = [];
    const handed = workflow({
      name: "handed",
      run: async (ctx) => {
        await ctx.step.run("first", () => {
          calls.push("first");
          return new Promise<void>((resolve) => {
            release = resolve;
          });
        });
        await ctx.step.run("second", () => void calls.push("second"));
      },
    });
    const worker = bench.serve([handed]);
    const run = await bench.client.start(handed, undefined);
    await eventually(() => calls.length, 1);
    const stopped = worker.stop();
    release();
    await stopped;
    expect((await bench.client.runs.steps(run.runId)).map(({ name }) => name)).toEqual(["first"]);
    expect((await bench.client.runs.get("handed", run.runId)).activity).toBe("ready");
    bench.serve([handed]);
    await run.result({ timeout: "60s" });
    expect(calls).toEqual(["first", "second"]);
  });

  it("serves several versions side by side, and leaves a version that it doesn't know", async () => {
    const versioned = (version: number) =>
      workflow({ name: "versioned", version, run: () => version });
    bench.serve([versioned(1), versioned(2)]);
    const [one, two, three] = await Promise.all(
      [1, 2, 3].map((version) => bench.client.start(versioned(version), undefined)),
    );
    expect(await one?.result({ timeout: "60s" })).toBe(1);
    expect(await two?.result({ timeout: "60s" })).toBe(2);
    expect((await bench.client.runs.get("versioned", three?.runId ?? "")).activity).toBe("ready");
    bench.serve([versioned(3)]);
    expect(await three?.result({ timeout: "60s" })).toBe(3);
  });

  it("works without LISTEN", async () => {
    const polled = workflow({ name: "polled", run: (ctx) => ctx.step.sleep("nap", 20) });
    bench.serve([polled], { listen: false });
    const run = await bench.client.start(polled, undefined);
    await run.result({ timeout: "60s" });
    expect(await bench.violations()).toEqual([]);
  });
});
