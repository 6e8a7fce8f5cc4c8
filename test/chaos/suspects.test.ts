import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { Latch } from "../helpers/latch.ts";
import type { SuspectInput } from "../helpers/programs/suspect-worker.ts";
import { Runs } from "../helpers/runs.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";

async function setup(inputs: readonly SuspectInput[]) {
  const database = await createDatabase();
  const client = createWorkflowClient({ url: database.url });
  atFileEnd(() => client.close());
  const handles = await client.startBatch(
    "suspect",
    inputs.map((input) => ({ input })),
  );
  const statuses = async (): Promise<string[]> => {
    const rows = await database.query<{ run_id: string; status: string }>(
      "select run_id, status from queue.workflow_run",
    );
    const found = new Map(rows.map((row) => [row.run_id, row.status]));
    return handles.map(({ runId }) => found.get(runId) ?? "");
  };
  const startWorker = (lease: string): WorkerProcess =>
    startWorkerProcess(new URL("../helpers/programs/suspect-worker.ts", import.meta.url), {
      args: [database.url, lease],
    });
  return { database, client, runs: new Runs(database, "suspect"), statuses, startWorker };
}

/** A worker that is started again whenever it dies. */
function supervise(start: () => WorkerProcess): { stop: () => Promise<void> } {
  let worker = start();
  let isOver = false;
  const supervising = (async (): Promise<void> => {
    for (;;) {
      await worker.end();
      if (isOver) return;
      worker = start();
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await worker.kill();
      await supervising;
    },
  };
}

const repeated = (count: number, input: SuspectInput): SuspectInput[] =>
  Array.from({ length: count }, () => input);

describe("runs that share their workers", () => {
  it("with one that kills them all complete, and only that one is poisoned", async () => {
    const { database, runs, statuses, startWorker } = await setup([
      { kills: true, takesMs: 50 },
      ...repeated(20, { takesMs: 300 }),
    ]);
    const workers = [1, 2].map(() => supervise(() => startWorker("1s")));
    const ended = await eventually(
      async () => {
        // As time would.
        await database.query(
          "update queue.workflow_continuation set suspect_at = clock_timestamp() where suspect_at < 'infinity'",
        );
        return statuses();
      },
      (all) => !all.includes("running"),
      { withinMs: 150_000 },
    );
    expect(ended).toEqual(["failed", ...Array.from({ length: 20 }, () => "completed")]);
    expect(await runs.violations()).toEqual([]);
    for (const worker of workers) await worker.stop();
  });

  it("with a deployment that kills every worker before it has lived for a lease lose no suspect", async () => {
    const { database, client, runs, statuses, startWorker } = await setup([{ takesMs: 10 }]);
    for (let death = 1; death <= 2; death += 1) {
      expect(await runs.receive("suspects => 0")).toHaveLength(1);
      await runs.endLeases();
    }
    expect(await runs.receive("suspects => 0")).toEqual([]);
    for (let deployed = 1; deployed <= 3; deployed += 1) {
      await database.query(
        "update queue.workflow_continuation set suspect_at = clock_timestamp() where suspect_at < 'infinity'",
      );
      const victim = startWorker("10m");
      const other = await client.start("suspect", { takesMs: 10 });
      await other.result({ timeout: "60s" });
      await victim.kill();
    }
    expect(await statuses()).toEqual(["running"]);
    expect(await database.query("select deaths from queue.workflow_continuation")).toEqual([
      { deaths: null },
    ]);

    const grown = startWorker("1s");
    await eventually(statuses, (all) => all.join() === "completed");
    expect(await runs.violations()).toEqual([]);
    await grown.kill();
  });

  it("with one that blocks its worker for longer than a lease complete, as does that one", async () => {
    const { runs, statuses, startWorker } = await setup([
      { blocksMs: 2_500 },
      ...repeated(10, { takesMs: 100 }),
    ]);
    const workers = [startWorker("1s"), startWorker("1s")];
    const ended = await eventually(statuses, (all) => !all.includes("running"), {
      withinMs: 150_000,
    });
    expect(new Set(ended)).toEqual(new Set(["completed"]));
    expect(await runs.violations()).toEqual([]);
    for (const worker of workers) await worker.kill();
  });

  it("are received while another worker of the process waits for a database that doesn't answer", async () => {
    const locked = await createDatabase();
    const session = await locked.connect();
    const suspect = workflow({ name: "suspect", run: () => "lived" });
    await using waiting = createWorker({
      url: locked.url,
      workflows: [suspect],
      lease: "1s",
      answerTimeout: "5m",
      stopTimeout: "1s",
    });
    waiting.events.on("trouble", () => {});
    await using client = createWorkflowClient({ url: locked.url });
    await (await client.start(suspect, undefined)).result({ timeout: "60s" });
    // The worker may be asking when the next run is due instead: then it is let go, and met again.
    const isReceiving = async (): Promise<boolean> => {
      await session.query("begin");
      await session.query("lock table queue.workflow_continuation in access exclusive mode");
      const blocked = await eventually(
        () =>
          locked.query(
            "select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          ),
        isNotEmpty,
      );
      if (blocked.some(({ query }) => String(query).includes("workflow_receive("))) return true;
      await session.query("rollback");
      return false;
    };
    await eventually(isReceiving, true);

    const { database, runs, statuses } = await setup([{}, {}]);
    for (let death = 1; death <= 2; death += 1) {
      expect(await runs.receive("max_runs => 2, suspects => 0")).toHaveLength(2);
      await runs.endLeases();
    }
    expect(await runs.receive("suspects => 0")).toEqual([]);
    await database.query("update queue.workflow_continuation set suspect_at = clock_timestamp()");
    await using worker = createWorker({ url: database.url, workflows: [suspect], lease: "1s" });
    worker.events.on("trouble", ({ error }) => {
      throw error;
    });
    await eventually(statuses, (all) => all.join() === "completed,completed");
    expect(await runs.violations()).toEqual([]);
    await session.query("rollback");
  });

  it("come one at a time to the workers of a process, and the second in a moment", async () => {
    const databases = await Promise.all([1, 2].map(() => setup([{}])));
    const held: string[] = [];
    const released = new Latch();
    const suspect = workflow({
      name: "suspect",
      run: (ctx) =>
        ctx.step.run("work", async () => {
          held.push("work");
          await released.opened;
        }),
    });
    const innocent = workflow({ name: "innocent", run: () => "lived" });
    for (const { database, runs } of databases) {
      for (let death = 1; death <= 2; death += 1) {
        expect(await runs.receive("suspects => 0")).toHaveLength(1);
        await runs.endLeases();
      }
      expect(await runs.receive("suspects => 0")).toEqual([]);
      await database.query("update queue.workflow_continuation set suspect_at = clock_timestamp()");
    }
    const workers = databases.map(({ database }) =>
      createWorker({ url: database.url, workflows: [suspect, innocent], lease: "1s" }),
    );
    await eventually(() => held.length, 1);
    // Both workers receive, but no second suspect.
    for (const { client } of databases) {
      await (await client.start("innocent", {})).result({ timeout: "60s" });
    }
    expect(held).toEqual(["work"]);
    released.open();
    for (const { statuses } of databases) {
      await eventually(statuses, (all) => all.join() === "completed");
    }
    for (const { runs } of databases) expect(await runs.violations()).toEqual([]);
    await Promise.all(workers.map((worker) => worker.stop()));
  });
});
