/** A run ends at its deadline, whatever it does then. */
import { createWorkflowClient, type RunHandle } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { startServer } from "@oxbow/server";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

/** Longer than any test takes: what would end by itself has not. */
const LONG_MS = 600_000;
const inMs = (ms: number): Date => new Date(Date.now() + ms);

/** How long after its deadline the run ended, in milliseconds. */
async function lateness(
  { runId }: Pick<RunHandle, "runId">,
  { database }: Pick<WorkflowBench, "database"> = bench,
): Promise<number> {
  const [row] = await database.query(
    `select extract(epoch from completed_at - deadline)::float8 * 1000 as ms, error
     from queue.workflow_run where run_id = $1`,
    [runId],
  );
  expect(row?.["error"]).toMatchObject({ name: "DeadlineExceeded", code: "DEADLINE_EXCEEDED" });
  return Number(row?.["ms"]);
}

async function exceeds(run: RunHandle): Promise<void> {
  await expect(run.result({ timeout: "60s" })).rejects.toMatchObject({
    code: "RUN_FAILED",
    error: { code: "DEADLINE_EXCEEDED" },
  });
  expect(await lateness(run)).toBeGreaterThanOrEqual(0);
}

describe("a run that executes", () => {
  it("fails while a step is being called: its signal aborts, and no other step begins", async () => {
    const calls: string[] = [];
    const reasons: unknown[] = [];
    const slow = workflow({
      name: "slow",
      run: async (ctx) => {
        await ctx.step.run("quick", () => void calls.push("quick"));
        for (let n = 0; n < 10; n += 1) {
          await ctx.step.run(`slow-${n}`, async (signal) => {
            calls.push(`slow-${n}`);
            await new Promise<void>((resolve) => {
              const timer = setTimeout(resolve, LONG_MS);
              signal.addEventListener("abort", () => {
                clearTimeout(timer);
                reasons.push(signal.reason);
                resolve();
              });
            });
          });
        }
      },
    });
    bench.serve([slow]);
    let run: RunHandle | undefined;
    // On a busy machine, a deadline may pass before the worker has the run.
    for (let ms = 2_000; !calls.includes("slow-0"); ms *= 2) {
      calls.length = 0;
      run = await bench.client.start(slow, undefined, { deadline: inMs(ms) });
      await exceeds(run);
    }
    await eventually(() => reasons.length, 1);
    expect(calls).toEqual(["quick", "slow-0"]);
    // The reason of the worker, or where it was busy, of the database, by which the run is lost.
    expect(String(reasons)).toMatch(/deadline of run \d+ has passed|was lost/);
    expect(await bench.client.runs.steps(run?.runId ?? "")).toMatchObject([{ name: "quick" }]);
  });

  it("fails though its callbacks don't listen, and though its worker knows nothing of deadlines", async () => {
    let isServed = false;
    const deaf = workflow({
      name: "deaf",
      run: (ctx) =>
        ctx.step.run("deaf", () => {
          isServed = true;
          return new Promise<void>(() => {});
        }),
    });
    const worker = createWorker({ url: bench.database.url, workflows: [deaf], stopTimeout: 1 });
    const run = await bench.client.start(deaf, undefined, { deadline: inMs(3_000) });
    await exceeds(run);
    expect(isServed).toBe(true);
    await worker.stop();

    // A worker in another language that holds the run.
    const held = await bench.client.start("held-in-sql", {}, { deadline: inMs(2_000) });
    const received = await bench.database.query(
      "select receipt from queue.workflow_receive(array['held-in-sql'], lease_seconds => 600)",
    );
    expect(received).toHaveLength(1);
    await exceeds(held);
    expect(
      await bench.database.query(
        "select outcome from queue.workflow_heartbeat(array[$1::bigint])",
        [received[0]?.["receipt"]],
      ),
    ).toEqual([{ outcome: "lost" }]);
  });

  it("rolls nothing back", async () => {
    let rolledBack = 0;
    const undone = workflow({
      name: "undone",
      run: async (ctx) => {
        await ctx.step.run("book", () => 1, {
          rollback: () => {
            rolledBack += 1;
          },
        });
        await ctx.step.run("hang", (signal) => {
          return new Promise<void>((resolve) => {
            signal.addEventListener("abort", () => resolve());
          });
        });
      },
    });
    bench.serve([undone]);
    const run = await bench.client.start(undone, undefined, { deadline: inMs(2_000) });
    await exceeds(run);
    expect(rolledBack).toBe(0);
    expect(await bench.client.runs.steps(run.runId)).toMatchObject([{ name: "book" }]);
  });

  it("completes where it ends in time", async () => {
    const quick = workflow({ name: "quick", run: (ctx) => ctx.step.run("one", () => 1) });
    bench.serve([quick]);
    const run = await bench.client.start(quick, undefined, { deadline: inMs(60_000) });
    expect(await run.result({ timeout: "60s" })).toBe(1);
  });
});

describe("a run ends within a second of its deadline, by the clock of the database,", () => {
  const RUNS = 6;
  /** Deadlines at every phase of the looks that workers and servers take. */
  const APART_MS = 130;

  /** Starts runs, and returns how late each of them ended. Nothing is in the way of a later round but the machine. */
  async function latenesses(
    on: WorkflowBench,
    name: string,
    { delay, under }: { delay?: number; under?: (runs: readonly RunHandle[]) => Promise<unknown> },
  ): Promise<readonly number[]> {
    const first = Date.now() + 1_500;
    const runs = await Promise.all(
      Array.from({ length: RUNS }, (_none, n) =>
        on.client.start(
          name,
          {},
          {
            deadline: new Date(first + n * APART_MS),
            ...(delay === undefined ? {} : { delay }),
          },
        ),
      ),
    );
    await under?.(runs);
    for (const run of runs) await run.result({ timeout: "60s" }).catch(() => {});
    return Promise.all(runs.map((run) => lateness(run, on)));
  }

  /**
   * A busy machine may hold up a round, but not the next: the promise needs no luck, and a later look never keeps it.
   */
  const inTime = (
    round: () => Promise<readonly number[]>,
    leastMs = 1_000,
  ): Promise<readonly number[]> =>
    eventually(round, (late) => {
      const [least, most] = [Math.min(...late), Math.max(...late)];
      return least >= 0 && least < leastMs && most <= 1_000;
    });

  it.each(["listens", "hangs"])("while it executes, and its callback %s", async (how) => {
    const on = await setupWorkflows();
    const called = new Set<string>();
    const busy = workflow({
      name: "busy",
      run: (ctx) =>
        ctx.step.run("call", (signal) => {
          called.add(ctx.runId);
          return new Promise<void>((resolve) => {
            if (how === "listens") signal.addEventListener("abort", () => resolve());
          });
        }),
    });
    on.serve([busy], { stopTimeout: 1 });
    const under = (runs: readonly RunHandle[]): Promise<unknown> =>
      eventually(
        () => called,
        () => runs.every(({ runId }) => called.has(runId)),
        { withinMs: 2_000 },
      );
    // The worker does it: the database leaves it a quarter of a second for that.
    await inTime(() => latenesses(on, "busy", { under }), 250);
  });

  it("while a worker that knows nothing of deadlines executes it", async () => {
    const on = await setupWorkflows();
    on.serve([workflow({ name: "other", run: () => 1 })]);
    const under = async (runs: readonly RunHandle[]): Promise<void> => {
      const received = await on.database.query(
        "select receipt from queue.workflow_receive(array['in-sql'], max_runs => 100, lease_seconds => 600)",
      );
      expect(received).toHaveLength(runs.length);
    };
    await inTime(() => latenesses(on, "in-sql", { under }));
  });

  it("while it is delayed, or no worker serves it", async () => {
    const on = await setupWorkflows();
    on.serve([workflow({ name: "other", run: () => 1 })]);
    await inTime(() => latenesses(on, "delayed", { delay: LONG_MS }));
    await inTime(() => latenesses(on, "unserved", {}));
  });

  it("while there is only a server", async () => {
    const database = await createDatabase();
    const on = await setupWorkflows(database);
    const server = await startServer({ url: database.url, port: 0, sweepIntervalMs: 0 });
    await inTime(() => latenesses(on, "unserved", {}));
    await server.stop();
  });
});

describe("a run that does not execute", () => {
  it("fails while it is delayed, sleeps, waits, is paused, or its workers have no slot free", async () => {
    const waits = workflow({
      name: "waits",
      run: async (ctx, how: "sleep" | "wait" | "hold") => {
        if (how === "sleep") await ctx.step.sleep("nap", LONG_MS);
        else if (how === "wait") await ctx.step.waitForEvent("go");
        else await ctx.step.run("hold", () => new Promise<void>(() => {}));
      },
    });
    const worker = createWorker({
      url: bench.database.url,
      workflows: [waits],
      concurrency: 3,
      stopTimeout: 1,
    });
    const deadline = inMs(3_000);
    const runs = [
      await bench.client.start(waits, "sleep", { deadline }),
      await bench.client.start(waits, "wait", { deadline }),
      await bench.client.start(waits, "wait", { deadline, delay: LONG_MS }),
    ];
    const paused = await bench.client.start(waits, "wait", { deadline, delay: LONG_MS });
    await bench.client.runs.pause(paused.runId);
    for (let n = 0; n < 3; n += 1) await bench.client.start(waits, "hold");
    const last = await bench.client.start(waits, "sleep", { deadline });
    for (const run of [...runs, paused, last]) await exceeds(run);
    await worker.stop();
  });

  it("fails without a worker that serves it, if any worker runs", async () => {
    const other = workflow({ name: "other", run: () => 1 });
    bench.serve([other]);
    const run = await bench.client.start("nobodys", {}, { deadline: inMs(1_000) });
    await exceeds(run);
  });

  it("fails without a worker that serves it, if a server runs", async () => {
    const database = await createDatabase();
    const server = await startServer({ url: database.url, port: 0, sweepIntervalMs: 0 });
    const client = createWorkflowClient({ url: server.url });
    const run = await client.start("nobodys", {}, { deadline: inMs(1_000) });
    await expect(run.result({ timeout: "60s" })).rejects.toMatchObject({ code: "RUN_FAILED" });
    await client.close();
    await server.stop();
  });

  it("leaves nothing wrong", async () => {
    expect(await bench.violations()).toEqual([]);
  });
});
