/**
 * Runs that move while workers execute them and clients use them: no run is lost, in two shards, or called twice by a
 * move (X1, X6), and the invariants of each shard hold (X7).
 */
import { setTimeout as delay } from "node:timers/promises";
import { createWorkflowClient, RunMoved, type WorkflowClient } from "@oxbow/sdk";
import { connect, moveRun } from "@oxbow/fleet/internal";
import { LAST_ANSWER_MS, within } from "@oxbow/sdk/internal/fleet";
import type { Transport } from "@oxbow/sdk/internal/server";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { beforeEach, describe, expect, it } from "vitest";
import { oxbow } from "../helpers/command.ts";
import type { TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { FaultyNetwork } from "../helpers/faulty-network.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { createFleet, pairsOf, type TestFleet } from "../helpers/fleet.ts";
import { startMovingWorker } from "../helpers/moving-workers.ts";
import { silent } from "../helpers/silent-logger.ts";
import type { WorkerProcess } from "../helpers/worker-process.ts";

const RUNS = Number(process.env["MOVING_RUNS"] ?? 16);
const NAMES = ["a", "b"] as const;

let fleet: TestFleet;
let client: WorkflowClient;
let transport: Transport;

beforeEach(async () => {
  fleet = await createFleet();
  const own = [
    createWorkflowClient({ shards: fleet.shards }),
    connect({ shards: fleet.shards }),
  ] as const;
  [client, transport] = own;
  await databaseOf("a").query("create table call (run_id bigint, step text)");
  atFileEnd(() => Promise.all(own.map((one) => one.close())));
});

const databaseOf = (name: string): TestDatabase => fleet.databases[name] as TestDatabase;
const pairs = (): string[] => pairsOf(fleet.shards);
const startWorker = (lease: string): Promise<WorkerProcess> =>
  startMovingWorker(lease, fleet.shards);

/** Starts runs, half of them in each shard. */
const startRuns = (steps: number, ms: number): Promise<{ runId: string }[]> =>
  Promise.all(Array.from({ length: RUNS }, () => client.start("moving", { steps, ms })));

/** Moves runs to the other shard until they have ended, each as soon as it has arrived from its last move. */
async function keepMoving(runIds: readonly string[]): Promise<number> {
  let moves = 0;
  await Promise.all(
    runIds.map(async (runId) => {
      for (;;) {
        try {
          const run = await transport.runs.get(runId);
          if (run?.status !== "running") return;
          const shard = (await transport.fleet?.shardOfRun(runId)) ?? "";
          const target = shard === "a" ? "b" : "a";
          const left = await transport.fleet?.shard(shard).shards?.handOver(runId, target, false);
          if (left === true) moves += 1;
          await delay(20);
        } catch (error) {
          // A relay has moved it in between, or it is on its way while no worker lives.
          if (!(error instanceof RunMoved)) throw error;
        }
      }
    }),
  );
  return moves;
}

async function expectAllEnded(runs: readonly { runId: string }[], steps: number): Promise<void> {
  for (const { runId } of runs) {
    const run = await client.runs.handle("moving", runId);
    expect(await run.result({ timeout: "60s" })).toBe((steps * (steps - 1)) / 2);
  }
  // A run that has ended may be on its last move.
  await eventually(async () => {
    const pending = await Promise.all(
      NAMES.map(async (name) => transport.fleet?.shard(name).shards?.pending()),
    );
    return pending.flat();
  }, []);
  const places = await Promise.all(
    NAMES.map((name) =>
      databaseOf(name).query<{ run: string }>(
        "select run_id::text as run from queue.workflow_run where workflow_name = 'moving'",
      ),
    ),
  );
  const ids = places.flat().map(({ run }) => run);
  expect(ids.toSorted()).toEqual(runs.map(({ runId }) => runId).toSorted());
  for (const name of NAMES) {
    expect(await databaseOf(name).query("select * from queue.check_invariants()")).toEqual([]);
    expect(await databaseOf(name).query("select * from queue.departing")).toEqual([]);
  }
}

const callsTwice = (): Promise<unknown[]> =>
  databaseOf("a").query(
    "select run_id, step, count(*) from call group by run_id, step having count(*) > 1",
  );

describe("runs that move to and fro", () => {
  it("call no step twice, and end as they would", async () => {
    const worker = await startWorker("30s");
    const runs = await startRuns(12, 15);
    const moves = await keepMoving(runs.map(({ runId }) => runId));
    await expectAllEnded(runs, 12);
    expect(moves).toBeGreaterThan(RUNS);
    expect(await callsTwice()).toEqual([]);
    await worker.kill();
  });

  it("end while their workers and relays are killed", async () => {
    const workers = await Promise.all([startWorker("1s"), startWorker("1s")]);
    const runs = await startRuns(8, 15);
    const moving = keepMoving(runs.map(({ runId }) => runId));
    for (let kills = 0; kills < 6; kills++) {
      await delay(300);
      await workers.shift()?.kill();
      workers.push(await startWorker("1s"));
    }
    expect(await moving).toBeGreaterThan(0);
    await expectAllEnded(runs, 8);
    await Promise.all(workers.map((worker) => worker.kill()));
  });
});

it("moves without waiting for a shard that has no part in it, and is away", async () => {
  const { shards } = await createFleet(3);
  const network = await FaultyNetwork.before(shards["c"] ?? "");
  network.change({ isParted: true });
  const parted = { ...shards, c: network.url };
  const starting = createWorkflowClient({ shards });
  const moving = connect({ shards: parted });
  atFileEnd(() => Promise.all([starting.close(), moving.close()]));
  const { runId } = await starting.shard("a").start("moving", {});
  const moved = moveRun(moving, {
    runId,
    target: "b",
    endsLeases: false,
    onAsked: () => {},
    onTrouble: () => {},
  });
  expect(await within(LAST_ANSWER_MS, moved)).toBe(true);
  expect(await moving.fleet?.shardOfRun(runId)).toBe("b");
});

describe("clients", () => {
  const wait = workflow({
    name: "waits",
    run: async (ctx) => {
      return ctx.step.waitForEvent("go");
    },
  });

  it("follow a run that has moved, by all calls, and by its key", async () => {
    const worker = createWorker({ shards: fleet.shards, workflows: [wait], logger: silent });
    const run = await client.start(wait, undefined, { idempotencyKey: "one" });
    const home = await transport.fleet?.shardOfRun(run.runId);
    const other = home === "a" ? "b" : "a";
    await eventually(() => run.status(), { activity: "waiting" });
    const result = run.result({ timeout: "60s" });
    const moved = await oxbow(["shards", "move", ...pairs(), "--run", run.runId, "--to", other]);
    expect(moved).toMatchObject({ code: 0, stderr: `Run ${run.runId} has moved to "${other}".` });
    expect(await client.runs.count({ workflow: "waits" })).toBe(1);
    expect(await client.runs.steps(run.runId)).toEqual([]);
    expect(await client.runs.find(run.runId)).toMatchObject({ status: "running" });
    expect(await run.pause()).toBe(true);
    expect(await run.resume()).toBe(true);
    const again = await client.start(wait, undefined, { idempotencyKey: "one" });
    expect(again).toMatchObject({ runId: run.runId, created: false });
    await expect(
      client.shard(home ?? "").start(wait, undefined, { idempotencyKey: "one" }),
    ).rejects.toThrow(RunMoved);
    await client.signal(run.runId, "go", { n: 7 });
    expect(await result).toEqual({ n: 7 });

    const there = await oxbow(["shards", "move", ...pairs(), "--run", run.runId, "--to", other]);
    expect(there.stderr).toBe(`Run ${run.runId} is in "${other}" already.`);
    const wrong = await oxbow(["shards", "move", ...pairs(), "--run", run.runId, "--to", "c"]);
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain('There is no shard "c"');
    await worker.stop();
  });

  it("learn that shards that have lost commits contradict each other", async () => {
    const run = await client.start(wait, undefined);
    for (const [name, shard] of [
      ["a", 1],
      ["b", 0],
    ] as const) {
      await databaseOf(name).query("insert into queue.elsewhere values ($1, 0, $2)", [
        run.runId,
        shard,
      ]);
      await databaseOf(name).query("delete from queue.workflow_continuation where msg_id = $1", [
        run.runId,
      ]);
      await databaseOf(name).query("delete from queue.workflow_run where run_id = $1", [run.runId]);
    }
    await expect(client.runs.find(run.runId)).rejects.toThrow(/one of them has lost commits/);
    await expect(client.runs.pause(run.runId)).rejects.toThrow(RunMoved);
  });
});
