import { beforeAll, describe, expect, it } from "vitest";
import { type Runs, setupRuns, shareRun, shareRuns } from "../../helpers/runs.ts";

describe("workflow_receive", () => {
  it("returns the journal in its order, and the continuation", async () => {
    const runs = await shareRuns("ordered");
    await runs.start();
    const delivery = await runs.receiveOne();
    expect(delivery).toMatchObject({ attempt: 1, journal: null, continuation: {} });
    await runs.commit([{ delivery, transition: "keep", steps: ["z", "a", "m"] }]);
    await runs.endLeases();
    const again = await runs.receiveOne();
    expect(again.journal?.map(({ name }) => name)).toEqual(["z", "a", "m"]);
    expect(again.receipt).not.toBe(delivery.receipt);
  });

  it("takes only the versions that are asked for", async () => {
    const runs = await shareRuns("versioned");
    for (const version of [1, 2, 3]) await runs.start(`, version => ${version}`);
    const some = await runs.receive(`'{"versioned": [1, 3]}', max_runs => 10`);
    expect(some.map(({ version }) => version)).toEqual([1, 3]);
    expect((await runs.receive()).map(({ version }) => version)).toEqual([2]);
  });

  it("takes workflows in the order of names, and versions in the order in which they are served", async () => {
    const runs = await shareRuns("of-many");
    for (const [name, version] of [
      ["first-made", 1],
      ["second-made", 1],
      ["second-made", 2],
      ["third-made", 1],
    ]) {
      await runs.database.query("select queue.workflow_start($1, version => $2)", [name, version]);
    }
    const received: unknown[] = [];
    for (let n = 0; n < 4; n += 1) {
      const [row] = await runs.database.query<{ name: string; version: number }>(
        `select name, version from queue.workflow_receive(
           array['third-made', 'second-made', 'first-made'],
           '{"first-made": [1], "second-made": [2, 1], "third-made": [1]}')`,
      );
      received.push([row?.name, row?.version]);
    }
    expect(received).toEqual([
      ["third-made", 1],
      ["second-made", 2],
      ["second-made", 1],
      ["first-made", 1],
    ]);
  });

  it("fails a run that was delivered ten times without progress", async () => {
    const { runs, runId } = await shareRun("poison");
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      expect(await runs.receiveOne()).toMatchObject({ attempt });
      await runs.endLeases();
    }
    expect(await runs.receive()).toEqual([]);
    expect(await runs.status(runId)).toMatchObject({
      status: "failed",
      error: { name: "PoisonedRun" },
    });
    expect(await runs.violations()).toEqual([]);
  });

  it("counts progress: a run that journals something each time is not poisoned", async () => {
    const runs = await shareRuns("progress");
    await runs.start();
    for (let journaled = 0; journaled < 12; journaled += 1) {
      const delivery = await runs.receiveOne();
      expect(delivery.attempt).toBeLessThanOrEqual(2);
      await runs.commit([
        { delivery, transition: "keep", result: {}, steps: [`s${journaled}`], journaled },
      ]);
      await runs.endLeases();
    }
  });

  it("of a workflow that was never started is empty; nonsense is refused", async () => {
    const runs = await shareRuns("never");
    expect(await runs.receive()).toEqual([]);
    await expect(runs.receive("max_runs => 0")).rejects.toMatchObject({ code: "OX004" });
    await expect(runs.receive("lease_seconds => -1")).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringContaining("-1"),
    });
  });
});

const refusing = await shareRuns("refusing");

describe("workflow_start", () => {
  it("in a transaction that is rolled back leaves nothing, not even the queue", async () => {
    const runs = await shareRuns("undone");
    await runs.database.query("begin");
    await runs.start();
    await runs.database.query("rollback");
    expect(await runs.database.query("select to_regclass('queue.q___wf_undone') as t")).toEqual([
      { t: null },
    ]);
  });

  it("with one key from two open transactions makes one run", async () => {
    const runs = await shareRuns("keyed");
    await runs.start();
    const [a, b] = [await runs.database.connect(), await runs.database.connect()];
    const start = `select run_id, created from queue.workflow_start('keyed', '{}', idempotency_key => 'k')`;
    await a.query("begin");
    const first = await a.query<{ run_id: string }>(start);
    const second = b.query<{ run_id: string }>(start);
    await a.query("commit");
    expect((await second).rows).toEqual([{ run_id: first.rows[0]?.run_id, created: false }]);
    expect(await runs.violations()).toEqual([]);
  });

  it.each([
    ["version => 0", "version 0"],
    ["idempotency_key => ''", 'key ""'],
    ["retention_days => -1", "-1 days"],
    ["delay_seconds => -5", "-5 seconds"],
  ])("with %s is refused, and the value named", async (option, named) => {
    await expect(refusing.start(`, ${option}`)).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringContaining(named),
    });
  });

  it.each(["", "Upper", "a b", `a"; drop schema queue; --`])("of %j is refused", async (name) => {
    await expect(
      refusing.database.query("select queue.workflow_start($1, '{}')", [name]),
    ).rejects.toMatchObject({ code: "OX003" });
  });
});

describe("workflow_signal", () => {
  it("is delivered to the first wait that it matches, and makes the run visible", async () => {
    const { runs, runId } = await shareRun("waiting");
    const delivery = await runs.receiveOne();
    const wait = (step: string, to: number) => ({
      kind: "event",
      step,
      event: "go",
      match: { to },
    });
    const result = { waits: [wait("one", 1), wait("two", 2)], retries: [], journaled: 0 };
    await runs.commit([{ delivery, transition: "suspend", result }]);
    expect(await runs.receive()).toEqual([]);
    expect(await runs.signal(runId, "go", { to: 3 })).toEqual([{ outcome: "buffered" }]);
    expect(await runs.signal(runId, "go", { to: 2, more: true })).toEqual([
      { outcome: "delivered" },
    ]);
    expect(await runs.receiveOne()).toMatchObject({
      journal: [{ name: "two", output: { to: 2, more: true } }],
      continuation: { waits: [{ step: "one" }], journaled: 1 },
    });
    expect(await runs.violations()).toEqual([]);
  });

  it("to a run whose lease has ended ends the receipt too, so that a zombie can't overwrite it", async () => {
    const { runs, runId } = await shareRun("halfway");
    const zombie = await runs.receiveOne();
    const result = {
      waits: [{ kind: "event", step: "w", event: "go" }],
      retries: [],
      journaled: 0,
    };
    await runs.commit([{ delivery: zombie, transition: "keep", result }]);
    await runs.commit([{ delivery: zombie, transition: "keep", steps: ["a"] }]);
    await runs.endLeases();
    expect(await runs.signal(runId, "go", 1)).toEqual([{ outcome: "delivered" }]);
    expect(await runs.commit([{ delivery: zombie, transition: "complete" }])).toMatchObject([
      { outcome: "lost" },
    ]);
    expect((await runs.receiveOne()).journal?.map(({ name }) => name)).toEqual(["a", "w"]);
    expect(await runs.violations()).toEqual([]);
  });

  it("to a run that doesn't exist, or by an impossible name, is refused", async () => {
    const runs = await shareRuns("nobody");
    await runs.start();
    await expect(runs.signal("999999", "go", 1)).rejects.toMatchObject({ code: "OX005" });
    await expect(runs.signal("1", " no margins", 1)).rejects.toMatchObject({ code: "OX003" });
  });
});

it("workflow_heartbeat extends leases, and returns which are lost, cancelled or signalled", async () => {
  const runs = await shareRuns("beating");
  for (let n = 0; n < 4; n += 1) await runs.start();
  const [kept, lost, cancelled, signalled] = await runs.receive(
    "max_runs => 10, lease_seconds => 5",
  );
  if (!kept || !lost || !cancelled || !signalled) throw new Error("Four runs were started.");
  const result = {
    waits: [{ kind: "event", step: "w", event: "go" }],
    retries: [],
    journaled: 0,
  };
  await runs.commit([
    { delivery: signalled, transition: "keep", result },
    { delivery: lost, transition: "release" },
  ]);
  await runs.receiveOne();
  await runs.database.query("select queue.workflow_cancel($1)", [cancelled.run_id]);
  await runs.signal(signalled.run_id, "go", 1);
  const receipts = [kept, lost, cancelled, signalled].map(({ receipt }) => receipt);
  const rows = await runs.database.query(
    "select run_id, outcome from queue.workflow_heartbeat($1, 60) order by run_id",
    [receipts],
  );
  expect(rows).toEqual([
    { run_id: lost.run_id, outcome: "lost" },
    { run_id: cancelled.run_id, outcome: "cancelled" },
    { run_id: signalled.run_id, outcome: "signalled" },
  ]);
  expect(
    await runs.database.query(
      `select visible_at > now() + interval '30 s' as is_long from queue.q___wf_beating where msg_id = $1`,
      [kept.run_id],
    ),
  ).toEqual([{ is_long: true }]);
});

it("workflow_sweep deletes ended runs past their retention with their journals, and nothing else", async () => {
  const runs = await setupRuns("swept");
  const gone = await runs.start(", retention_days => 0");
  const delivery = await runs.receiveOne();
  await runs.commit([{ delivery, transition: "complete", steps: ["a"] }]);
  const running = await runs.start(", retention_days => 0");
  expect(await runs.database.query("select queue.workflow_sweep() as n")).toEqual([{ n: 1 }]);
  expect(await runs.status(gone)).toBeUndefined();
  expect(await runs.status(running)).toMatchObject({ status: "running" });
  expect(await runs.violations()).toEqual([]);
});

describe("check_invariants", () => {
  let runs: Runs;

  beforeAll(async () => {
    runs = await setupRuns("broken");
    await runs.start();
    const delivery = await runs.receiveOne();
    await runs.commit([{ delivery, transition: "keep", steps: ["a"] }]);
  });

  it.each([
    ["delete from queue.q___wf_broken", "a running run has one continuation"],
    ["delete from queue.workflow_run", "a continuation belongs to a running run"],
    ["delete from queue.workflow_run", "a journal row has its run"],
    ["update queue.workflow_step set position = 7", "a journal has the positions 1 to n"],
    [
      `update queue.q___wf_broken set message = '{"waits": [{"kind": "sleep", "step": "a"}]}'`,
      "a pending wait or retry is not journaled",
    ],
    ["update queue.q___wf_broken set version = 9", "a continuation has the version of its run"],
    [
      "update queue.workflow_run set paused_at = now()",
      "a run is paused where its continuation is",
    ],
    [
      `update queue.q___wf_broken set headers = '{"paused": {}}', receipt = null`,
      "a paused run that no worker executes is not visible",
    ],
    [
      "update queue.workflow_run set superseded_by = 1",
      "a run in flight holds its idempotency key",
    ],
    [
      "insert into queue.workflow_signal_receipt values (999, 'x', 'buffered')",
      "a deduplicated signal has its run",
    ],
    [
      "insert into queue.workflow_stream_chunk values (999, 1, now(), 1, 1, '', '1')",
      "a chunk of a stream has its run",
    ],
    [
      "insert into queue.workflow_run_state values (999, now(), 'x', '1')",
      "a published value has its run",
    ],
  ])("after %s finds that %s no more", async (damage, invariant) => {
    expect(await runs.violations()).toEqual([]);
    await runs.database.query("begin");
    await runs.database.query(damage);
    const found = await runs.violations();
    await runs.database.query("rollback");
    expect(found).toContainEqual(expect.objectContaining({ invariant }));
  });
});
