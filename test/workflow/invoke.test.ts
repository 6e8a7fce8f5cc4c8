import { RunCancelled, RunFailed } from "@oxbow/sdk";
import { StepFailed, workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

const double = workflow({
  name: "double",
  run: (ctx, n: number) => ctx.step.run("double", () => n * 2),
});

const childrenOf = (runId: string) =>
  bench.database.query<{ run_id: string; status: string }>(
    "select run_id, status::text from queue.workflow_run where parent_run_id = $1 order by run_id",
    [runId],
  );

describe("step.invoke", () => {
  it("gives the result of another run, and frees its slot in the meantime", async () => {
    const parent = workflow({
      name: "parent-of-one",
      run: async (ctx, n: number) => (await ctx.step.invoke("child", double, n)) + 1,
    });
    bench.serve([parent, double], { concurrency: 1 });
    const run = await bench.client.start(parent, 20);
    expect(await run.result({ timeout: "60s" })).toBe(41);
    expect(await bench.client.runs.steps(run.runId)).toMatchObject([
      { name: "child", kind: "invoke", output: 40 },
    ]);
    expect(await bench.violations()).toEqual([]);
  });

  it("throws the error of a run that failed as the cause", async () => {
    const fails = workflow({
      name: "child-fails",
      run: () => {
        throw new Error("no such customer");
      },
    });
    const parent = workflow({
      name: "parent-of-failing",
      run: async (ctx) => {
        try {
          await ctx.step.invoke("child", fails, undefined);
        } catch (error) {
          return [error instanceof StepFailed, (error as Error & { cause: Error }).cause.message];
        }
        return "unreachable";
      },
    });
    bench.serve([parent, fails]);
    const run = await bench.client.start(parent, undefined);
    expect(await run.result({ timeout: "60s" })).toEqual([true, "no such customer"]);
  });

  it("starts hundreds in parallel, each once", async () => {
    const parent = workflow({
      name: "parent-of-many",
      run: async (ctx, many: number) => {
        const all = Array.from({ length: many }, (_, n) => ctx.step.invoke(`c${n}`, double, n));
        return (await Promise.all(all)).reduce((sum, n) => sum + n, 0);
      },
    });
    bench.serve([parent], { concurrency: 2 });
    bench.serve([double], { concurrency: 50 });
    const runs = await Promise.all([300, 200].map((many) => bench.client.start(parent, many)));
    const results = await Promise.all(runs.map((run) => run.result({ timeout: "60s" })));
    expect(results).toEqual([300 * 299, 200 * 199]);
    expect(await childrenOf(runs[0]?.runId ?? "")).toHaveLength(300);
    expect(await bench.violations()).toEqual([]);
  });

  it("nests", async () => {
    const tree = workflow({
      name: "tree",
      run: async (ctx, depth: number): Promise<number> => {
        if (depth === 0) return 1;
        const self = { ...tree } as never;
        const both = ["left", "right"].map((side) =>
          ctx.step.invoke(side, self, (depth - 1) as never),
        );
        const [left, right] = (await Promise.all(both)) as number[];
        return Number(left) + Number(right);
      },
    });
    bench.serve([tree], { concurrency: 4 });
    const run = await bench.client.start(tree, 4);
    expect(await run.result({ timeout: "60s" })).toBe(16);
    expect(await bench.violations()).toEqual([]);
  });

  it("takes the end of a run while another branch executes", async () => {
    let release = (): void => {};
    const parent = workflow({
      name: "parent-busy",
      run: (ctx) =>
        Promise.all([
          ctx.step.invoke("child", double, 1),
          ctx.step.run(
            "busy",
            () =>
              new Promise<string>((resolve) => {
                release = () => resolve("done");
              }),
          ),
        ]),
    });
    bench.serve([parent, double]);
    const run = await bench.client.start(parent, undefined);
    await eventually(
      () => bench.client.runs.steps(run.runId),
      (steps) => steps.some(({ name }) => name === "child"),
    );
    release();
    expect(await run.result({ timeout: "60s" })).toEqual([2, "done"]);
  });

  it("with detach gives the id of a run that continues independently", async () => {
    const parent = workflow({
      name: "parent-detached",
      run: (ctx) => ctx.step.invoke("child", double, 4, { detach: true }),
    });
    bench.serve([parent, double]);
    const run = await bench.client.start(parent, undefined);
    const child = await run.result({ timeout: "60s" });
    const handle = await bench.client.runs.handle(double, child);
    expect(await handle.result({ timeout: "60s" })).toBe(8);
  });

  it("refuses what is no workflow", async () => {
    const parent = workflow({
      name: "parent-of-nothing",
      run: (ctx) => ctx.step.invoke("child", "double" as never, 1 as never),
    });
    bench.serve([parent]);
    const run = await bench.client.start(parent, undefined);
    await expect(run.result({ timeout: "60s" })).rejects.toThrow(/"child" invokes no workflow/);
  });
});

describe("cancellation", () => {
  const waits = workflow({
    name: "waits",
    run: (ctx) => ctx.step.waitForEvent("never"),
  });
  const middle = workflow({
    name: "middle",
    run: (ctx) => ctx.step.invoke("inner", waits, undefined),
  });
  const outer = workflow({
    name: "outer",
    run: async (ctx) => {
      await ctx.step.invoke("apart", waits, undefined, { detach: true });
      return Promise.all([
        ctx.step.invoke("middle", middle, undefined),
        ctx.step.invoke("waits", waits, undefined),
      ]);
    },
  });
  const innermost = () =>
    bench.database.query<{ run_id: string }>(
      `select run_id from queue.workflow_run where workflow_name = 'waits' and status = 'running' and not is_detached`,
    );

  it("of a parent reaches all that it waits for, and nothing else", async () => {
    bench.serve([outer, middle, waits]);
    const run = await bench.client.start(outer, undefined);
    await eventually(innermost, { length: 2 });
    await run.cancel("enough");
    const ends = await bench.database.query(
      "select workflow_name, is_detached, status::text from queue.workflow_run where workflow_name in ('outer', 'middle', 'waits') order by 1, 2",
    );
    expect(ends.map((end) => [end["workflow_name"], end["status"]])).toEqual([
      ["middle", "cancelled"],
      ["outer", "cancelled"],
      ["waits", "cancelled"],
      ["waits", "cancelled"],
      ["waits", "running"],
    ]);
    await expect(run.result({ timeout: "60s" })).rejects.toBeInstanceOf(RunCancelled);
    expect(await bench.violations()).toEqual([]);
  });

  it("of a child fails the step of its parent", async () => {
    const lone = workflow({
      name: "lone-parent",
      run: (ctx) => ctx.step.invoke("child", waits, undefined),
    });
    bench.serve([lone, waits]);
    const run = await bench.client.start(lone, undefined);
    const [child] = await eventually(() => childrenOf(run.runId), { length: 1 });
    await bench.client.runs.cancel(child?.run_id ?? "", "not this one");
    const error = await run.result({ timeout: "60s" }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RunFailed);
    expect((error as RunFailed).error).toMatchObject({
      code: "STEP_FAILED",
      cause: { code: "RUN_CANCELLED", message: "not this one" },
    });
  });
});

it("a retried parent invokes failed children again", async () => {
  let works = false;
  const flaky = workflow({
    name: "flaky-child",
    run: () => {
      if (!works) throw new Error("down");
      return "up";
    },
  });
  const parent = workflow({
    name: "parent-retried",
    run: (ctx) => ctx.step.invoke("child", flaky, undefined),
  });
  bench.serve([parent, flaky]);
  const run = await bench.client.start(parent, undefined);
  await expect(run.result({ timeout: "60s" })).rejects.toThrow(/down/);
  works = true;
  expect(await run.retry()).toBe(true);
  expect(await run.result({ timeout: "60s" })).toBe("up");
});
