import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { atLeast, eventually } from "../helpers/eventually.ts";
import { Ledger } from "../helpers/ledger.ts";

async function setup() {
  const database = await createDatabase();
  const ledger = new Ledger(database.url, (text, values) => database.query(text, values));
  await ledger.prepare();
  return { database, ledger };
}

/** Longer than a process stands still on a busy machine: a run that is called again is so because its worker was killed. */
const LEASE = "1m";

/** A run whose second step is held, its worker, and a lock that keeps the step's commit from landing. */
async function setupHeldCommit() {
  const { database, ledger } = await setup();
  const worker = ledger.worker(20, LEASE);
  const runId = await ledger.start({ steps: 3, hold: "s1" });
  await ledger.isCalled(runId, "s1");
  const locker = await database.connect();
  await locker.query("begin; select from queue.q___wf_ledger for update");
  await ledger.openGate();
  const commit = await eventually(
    () =>
      database.query<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%workflow_commit%'`,
      ),
    { length: 1 },
  );
  await worker.kill();
  return { database, ledger, runId, locker, commitPid: commit[0]?.pid };
}

describe("a worker killed", () => {
  it("in a callback: another one calls it again, and what is journaled stays done", async () => {
    const { ledger } = await setup();
    const first = ledger.worker(20, LEASE);
    const runId = await ledger.start({ steps: 3, hold: "s1" });
    await ledger.isCalled(runId, "s1");
    await first.kill();
    await ledger.openGate();
    await ledger.endLeases();
    ledger.worker(20, LEASE);
    await ledger.isSound([runId], 3);
    expect(await ledger.calls(runId, "s0")).toBe(1);
    expect(await ledger.calls(runId, "s1")).toBe(2);
  });

  it("in a rollback: another worker continues it, and rolled-back steps stay rolled back", async () => {
    const { database, ledger } = await setup();
    const first = ledger.worker(20, LEASE);
    const runId = await ledger.start({ steps: 3, hold: "undo-s1", fails: true });
    await ledger.isCalled(runId, "undo-s1");
    await first.kill();
    await ledger.openGate();
    await ledger.endLeases();
    ledger.worker(20, LEASE);
    const ended = await eventually(
      () => ledger.client.runs.get("ledger", runId),
      ({ status }) => status !== "running",
    );
    expect(ended).toMatchObject({ status: "failed", error: { message: "it fails" } });
    const undone = ["s2", "s1", "s0"].map((step) => ledger.calls(runId, `undo-${step}`));
    expect(await Promise.all(undone)).toEqual([1, 2, 1]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("between the callback and its commit: the callback is called again, and journaled once", async () => {
    const { database, ledger, runId, locker, commitPid } = await setupHeldCommit();
    await database.query("select pg_terminate_backend($1)", [commitPid]);
    await locker.query("rollback");
    await ledger.endLeases();
    ledger.worker(20, LEASE);
    await ledger.isSound([runId], 3);
    expect(await ledger.calls(runId, "s1")).toBe(2);
  });

  it("after its commit, before the answer: the callback is not called again", async () => {
    const { ledger, runId, locker } = await setupHeldCommit();
    await locker.query("rollback");
    await eventually(() => ledger.journaledSteps(), 2);
    await ledger.endLeases();
    ledger.worker(20, LEASE);
    await ledger.isSound([runId], 3);
    expect(await ledger.calls(runId, "s1")).toBe(1);
  });
});

describe("workers killed again and again under load", () => {
  let done: () => Promise<void>;

  beforeAll(async () => {
    const { ledger } = await setup();
    const runs = await Promise.all(Array.from({ length: 60 }, () => ledger.start({ steps: 5 })));
    done = async () => {
      for (let round = 1; round <= 3; round += 1) {
        const victims = [ledger.worker(5), ledger.worker(5)];
        await eventually(() => ledger.journaledSteps(), atLeast(round * 60));
        await Promise.all(victims.map((victim) => victim.kill()));
      }
      ledger.worker();
      await ledger.isSound(runs, 5);
    };
  });

  it("lose nothing, and do nothing twice that was journaled", async () => {
    await done();
  });
});
