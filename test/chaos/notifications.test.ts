/** Notifications are hints: whatever becomes of them, runs, signals, cancels and results come through in a bounded time. */
import { workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";

/** The slowest poll is two seconds apart; the rest is for a busy machine. */
const BOUND = "25s";

const naps = workflow({
  name: "naps",
  run: async (ctx) => {
    await ctx.step.sleep("nap", 20);
    return ctx.step.waitForEvent("go", { timeout: "1h" });
  },
});

/** From now on no notification is ever sent, although all sessions listen and wait. */
async function loseAll({ database }: WorkflowBench): Promise<void> {
  await database.query(
    `create or replace function queue._is_awaited(channel text) returns boolean
       language sql as 'select false';
     create or replace function queue._notify_worker(name text, run_id bigint) returns void
       language sql as 'select null::void'`,
  );
}

async function setupIdle(): Promise<WorkflowBench> {
  const bench = await setupWorkflows();
  bench.serve([naps]);
  // Once through: all are connected, listen, and are seen to wait.
  await goesThrough(bench);
  return bench;
}

const isWaiting = async (bench: WorkflowBench, runId: string): Promise<unknown> =>
  eventually(() => bench.client.runs.get("naps", runId), { activity: "waiting" });

async function goesThrough(bench: WorkflowBench): Promise<void> {
  const run = await bench.client.start(naps, undefined);
  const result = run.result({ timeout: BOUND });
  await isWaiting(bench, run.runId);
  await run.signal("go", "went");
  expect(await result).toBe("went");
}

describe("a run, its signal and its result come through", () => {
  it("where notifications are never delivered, although all sessions listen", async () => {
    const bench = await setupIdle();
    await loseAll(bench);
    await goesThrough(bench);
    expect(await bench.violations()).toEqual([]);
  });

  it("where the listening connection is cut in the very moment, again and again", async () => {
    const bench = await setupIdle();
    const cut = (): Promise<{ pid: number }[]> =>
      bench.database.query(
        `select pid, pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'oxbow listen'`,
      );
    for (let round = 0; round < 3; round += 1) {
      await eventually(cut, isNotEmpty);
      await goesThrough(bench);
    }
    // And it is there again, without a restart of anything.
    const listening = await eventually(
      () =>
        bench.database.query(
          `select pid from pg_stat_activity
           where datname = current_database() and application_name = 'oxbow listen'`,
        ),
      { length: 1 },
    );
    expect(listening).toHaveLength(1);
    expect(await bench.violations()).toEqual([]);
  });
});

it("a cancel whose notification is lost still reaches the callback within a second or two", async () => {
  const bench = await setupWorkflows();
  let aborted: unknown;
  let isCalled = false;
  const stubborn = workflow({
    name: "stubborn",
    run: (ctx) =>
      ctx.step.run("hold", (signal) => {
        isCalled = true;
        return new Promise<void>((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted = signal.reason;
            reject(new Error("stopped"));
          });
        });
      }),
  });
  // Nor by the extension of the lease, which comes after half of it.
  bench.serve([stubborn], { lease: "10m" });
  const run = await bench.client.start(stubborn, undefined);
  await eventually(() => isCalled, true);
  await loseAll(bench);
  await run.cancel();
  await eventually(
    () => aborted,
    (reason) => reason !== undefined,
    { withinMs: 25_000 },
  );
});
