import { describe, expect, it } from "vitest";
import { type Delivery, type Runs, setupRun, setupRuns } from "../../helpers/runs.ts";

/** As a worker that keeps track: `suspects` of them at most. */
const receiveWith = (runs: Runs, suspects: number, maxRuns = 100): Promise<Delivery[]> =>
  runs.receive(`max_runs => ${maxRuns}, suspects => ${suspects}`);

/** Suspects may be received at once, as after a while. */
const endRests = (runs: Runs): Promise<unknown> =>
  runs.database.query(
    "update queue.workflow_continuation set suspect_at = clock_timestamp() where suspect_at < 'infinity'",
  );

const deathsOf = async (runs: Runs, runId: string): Promise<unknown> => {
  const [row] = await runs.database.query(
    "select cardinality(deaths) as deaths from queue.workflow_continuation where msg_id = $1",
    [runId],
  );
  return row?.["deaths"];
};

/** Runs whose leases expired twice. */
async function setupSuspects(name: string, count: number): Promise<Runs> {
  const runs = await setupRuns(name);
  for (let n = 0; n < count; n += 1) await runs.start();
  for (let death = 1; death <= 2; death += 1) {
    expect(await receiveWith(runs, 0)).toHaveLength(count);
    await runs.endLeases();
  }
  expect(await receiveWith(runs, 0)).toEqual([]);
  await endRests(runs);
  return runs;
}

/** One delivery as a suspect, whose worker dies, which another worker notices. */
async function dieWith(runs: Runs): Promise<Delivery> {
  await endRests(runs);
  const [delivery] = await receiveWith(runs, 1);
  if (delivery === undefined) throw new Error("No suspect was returned.");
  await runs.endLeases();
  expect(await receiveWith(runs, 0)).toEqual([]);
  return delivery;
}

describe("a run whose last two leases expired", () => {
  it("is returned apart, one to each worker, but not to a worker that has one", async () => {
    const runs = await setupSuspects("apart", 3);
    await runs.start();
    const first = await receiveWith(runs, 1);
    expect(first.map(({ attempt }) => attempt).toSorted((a, b) => a - b)).toEqual([1, 3]);
    expect(await receiveWith(runs, 0)).toEqual([]);
    expect(await receiveWith(runs, 1)).toHaveLength(1);
    expect(await receiveWith(runs, 1)).toHaveLength(1);
    expect(await receiveWith(runs, 1)).toEqual([]);
    expect(await runs.violations()).toEqual([]);
  });

  it("comes before a backlog, rests after each death, and is ready while it rests", async () => {
    const runs = await setupSuspects("resting", 1);
    for (let n = 0; n < 5; n += 1) await runs.start();
    const [suspect] = await receiveWith(runs, 1, 1);
    expect(suspect).toMatchObject({ attempt: 3 });
    await runs.endLeases();
    expect((await receiveWith(runs, 1)).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1]);
    const [state] = await runs.database.query("select activity from queue.workflow_get($1)", [
      suspect?.run_id,
    ]);
    expect(state).toEqual({ activity: "ready" });
    const [rest] = await runs.database.query<{ seconds: number }>(
      `select extract(epoch from suspect_at - clock_timestamp())::float8 as seconds
       from queue.workflow_continuation where msg_id = $1`,
      [suspect?.run_id],
    );
    expect(rest?.seconds).toBeGreaterThan(5);
    expect(rest?.seconds).toBeLessThan(12);
  });

  it("fails after eight workers that died while they had no other suspect", async () => {
    const runs = await setupSuspects("deadly", 1);
    let last: Delivery | undefined;
    for (let death = 3; death <= 9; death += 1) last = await dieWith(runs);
    expect(await runs.status(last?.run_id ?? "")).toMatchObject({ status: "running" });
    last = await dieWith(runs);
    expect(last).toMatchObject({ attempt: 10 });
    expect(await runs.status(last?.run_id ?? "")).toMatchObject({
      status: "failed",
      error: { code: "POISONED_RUN" },
    });
    expect(await runs.violations()).toEqual([]);
  });

  it("fails after a hundred that died although it made progress, unless one gave it back", async () => {
    const { runs, runId } = await setupRun("beating");
    const dieAfterStep = async (step: number): Promise<void> => {
      const delivery = await runs.receiveOne();
      const [row] =
        step % 2 === 0
          ? await runs.database.query(
              "select queue.workflow_commit_tx($1, $2, $3, '1') as outcome",
              [runId, delivery.receipt, `step-${step}`],
            )
          : await runs.commit([
              {
                delivery,
                transition: "keep",
                result: {},
                steps: [`step-${step}`],
                journaled: step,
              },
            ]);
      expect(row).toMatchObject({ outcome: "ok" });
      await runs.endLeases();
    };
    for (let step = 0; step < 50; step += 1) await dieAfterStep(step);
    const delivery = await runs.receiveOne();
    const waits = { waits: [], retries: [], journaled: 50 };
    await runs.commit([{ delivery, transition: "suspend", result: waits }]);
    await runs.database.query(
      "update queue.workflow_continuation set visible_at = clock_timestamp()",
    );

    for (let step = 50; step < 150; step += 1) await dieAfterStep(step);
    expect(await runs.status(runId)).toMatchObject({ status: "running" });
    expect(await runs.receive()).toEqual([]);
    expect(await runs.status(runId)).toMatchObject({
      status: "failed",
      error: { code: "POISONED_RUN", message: expect.stringContaining("100 workers") },
    });
    expect(await runs.violations()).toEqual([]);
  });

  it("is acquitted by its first commit, in a transaction of its worker's too", async () => {
    const runs = await setupSuspects("acquitted", 3);
    await dieWith(runs);
    await dieWith(runs);
    await dieWith(runs);
    await endRests(runs);
    const deliveries: Delivery[] = [];
    for (let n = 0; n < 3; n += 1) deliveries.push(...(await receiveWith(runs, 1)));
    const [kept, suspended, inTx] = deliveries;
    if (kept === undefined || suspended === undefined || inTx === undefined)
      throw new Error("none");
    await runs.commit([
      { delivery: kept, transition: "keep", result: {}, steps: ["a"] },
      {
        delivery: suspended,
        transition: "suspend",
        result: { waits: [], retries: [], journaled: 0 },
      },
    ]);
    await runs.database.query("select queue.workflow_commit_tx($1, $2, 'tx', '1')", [
      inTx.run_id,
      inTx.receipt,
    ]);
    for (const { run_id: runId } of deliveries) expect(await deathsOf(runs, runId)).toBeNull();
    await runs.endLeases();
    const again = await receiveWith(runs, 0);
    expect(again.map(({ attempt }) => attempt).toSorted((a, b) => a - b)).toEqual([2, 2]);
  });

  it("stays one when its worker gives it back, and no longer when its worker turns out to be alive", async () => {
    const runs = await setupSuspects("returned", 1);
    const [delivery] = await receiveWith(runs, 1);
    if (delivery === undefined) throw new Error("none");
    await runs.commit([{ delivery, transition: "release" }]);
    expect(await receiveWith(runs, 0)).toEqual([]);
    const blocked = await dieWith(runs);
    expect(await deathsOf(runs, blocked.run_id)).toBe(1);
    // It was not dead, and no other worker has the run.
    expect(await heartbeat(runs, blocked)).toEqual([]);
    expect(await deathsOf(runs, blocked.run_id)).toBeNull();
    expect(
      await runs.commit([{ delivery: blocked, transition: "complete", result: null }]),
    ).toMatchObject([{ outcome: "ok" }]);
  });

  it("isn't blamed for a worker that lost the lease to another one and is alive", async () => {
    const runs = await setupSuspects("innocent", 1);
    let blocked = await dieWith(runs);
    for (let n = 0; n < 10; n += 1) {
      const first = await dieWith(runs);
      expect(await heartbeat(runs, blocked)).toMatchObject([{ outcome: "lost" }]);
      const second = await dieWith(runs);
      expect(
        await runs.commit([{ delivery: first, transition: "complete", result: null }]),
      ).toMatchObject([{ outcome: "lost" }]);
      blocked = second;
    }
    await endRests(runs);
    expect(await receiveWith(runs, 1)).toHaveLength(1);
  });

  it("keeps its deadline while it rests", async () => {
    const runs = await setupRuns("late");
    const runId = await runs.start(", deadline => clock_timestamp() + interval '2 seconds'");
    for (let death = 1; death <= 2; death += 1) {
      await receiveWith(runs, 0);
      await runs.endLeases();
    }
    await receiveWith(runs, 0);
    await runs.database.query("select pg_sleep_until($1::timestamptz)", [
      new Date(Date.now() + 2_100),
    ]);
    expect(await receiveWith(runs, 0)).toEqual([]);
    expect(await runs.status(runId)).toMatchObject({ error: { code: "DEADLINE_EXCEEDED" } });
  });

  it("is returned one a call to workers that don't keep track, and a death counts for one of them", async () => {
    const runs = await setupSuspects("untracked", 4);
    const deliveries: Delivery[] = [];
    for (let n = 0; n < 4; n += 1) {
      const some = await runs.receive("max_runs => 100");
      expect(some).toHaveLength(1);
      deliveries.push(...some);
    }
    await runs.endLeases();
    expect(await receiveWith(runs, 0)).toEqual([]);
    const [counted] = await runs.database.query(
      "select sum(cardinality(deaths))::int as deaths from queue.workflow_continuation",
    );
    expect(counted).toEqual({ deaths: 1 });
  });

  it("waits for its turn in a workflow with flow control, too", async () => {
    const runs = await setupRuns("limited");
    await runs.database.query(
      `select queue.workflow_set_flow_control('limited', '{"concurrency": 2}', 1)`,
    );
    for (let n = 0; n < 3; n += 1) await runs.start();
    for (let death = 1; death <= 2; death += 1) {
      expect(await receiveWith(runs, 0)).toHaveLength(2);
      await runs.endLeases();
    }
    expect(await receiveWith(runs, 0)).toEqual([]);
    await endRests(runs);
    const [suspect, ...others] = await receiveWith(runs, 1);
    if (suspect === undefined) throw new Error("none");
    expect(others).toEqual([]);
    await runs.commit([{ delivery: suspect, transition: "complete", result: null }]);
    expect((await receiveWith(runs, 0)).map(({ attempt }) => attempt)).toEqual([1]);
  });
});

it("runs that share workers with three that kill them all end, and only the three are poisoned", async () => {
  const runs = await setupRuns("crowd");
  const ids: string[] = [];
  for (let n = 0; n < 23; n += 1) ids.push(await runs.start());
  const killers = new Set([ids[2], ids[9], ids[17]]);
  const running = async (): Promise<number> => {
    const [row] = await runs.database.query<{ count: number }>(
      "select count(*)::int as count from queue.workflow_run where status = 'running'",
    );
    return row?.count ?? 0;
  };
  let isOver = false;
  for (let round = 0; round < 60 && !isOver; round += 1) {
    for (let worker = 0; worker < 3; worker += 1) {
      const deliveries = await receiveWith(runs, 1, 10);
      if (deliveries.some(({ run_id: runId }) => killers.has(runId))) continue;
      await runs.commit(
        deliveries.map((delivery) => ({ delivery, transition: "complete" as const, result: null })),
      );
    }
    await runs.endLeases();
    await endRests(runs);
    isOver = (await running()) === 0;
  }
  const poisoned = await runs.database.query(
    "select run_id from queue.workflow_run where status <> 'completed' order by run_id",
  );
  expect(poisoned.map(({ run_id: runId }) => runId)).toEqual([...killers]);
  expect(await runs.violations()).toEqual([]);
});

const heartbeat = (runs: Runs, { receipt }: Delivery): Promise<Record<string, unknown>[]> =>
  runs.database.query("select outcome from queue.workflow_heartbeat(array[$1::bigint], 30)", [
    receipt,
  ]);
