/** The cost of finding and sweeping runs among 100,000 ended ones, by the plans that really ran. */
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { planner } from "../../helpers/plans.ts";
import { Runs } from "../../helpers/runs.ts";

const ENDED = 100_000;

/** Filled once, without statistics, and copied for each test. */
async function makeCrowd(): Promise<TestDatabase> {
  const runs = new Runs(await createDatabase(), "crowd");
  const { database } = runs;
  await runs.start();
  await database.query("alter table queue.workflow_run set (autovacuum_enabled = off)");
  await database.query("alter table queue.workflow_step set (autovacuum_enabled = off)");
  // As 100,000 runs leave it that have ended one by one, every thousandth of them by a failure.
  await database.query(
    `insert into queue.workflow_run (started_at, completed_at, expires_at, retention_days, workflow_version, status,
       workflow_name, input, output)
     select now() - interval '1 second' * n, now(), now() + interval '30 days' * (n % 50), 30, 1,
       case when n % 1000 = 0 then 'failed' else 'completed' end::queue.workflow_status, 'crowd', '{}', null
     from generate_series(1, $1) as n`,
    [ENDED],
  );
  await database.query(
    `insert into queue.workflow_step (run_id, started_at, completed_at, position, attempts, step_name, kind)
     select r.run_id, now(), now(), 1, 1, 'a', 'run' from queue.workflow_run as r where r.completed_at is not null`,
  );
  await new Runs(database, "rare").start(`, tags => '{"team": "a"}'`);
  await database.query(`select queue.workflow_start('crowd', '{"order": {"id": 42}}')`);
  await database.query("select queue.workflow_index_input('crowd')");
  return database;
}

const crowd = await makeCrowd();

async function setup(statistics: "none" | "fresh") {
  const runs = new Runs(await createDatabase({ copyOf: crowd }), "crowd");
  const { database } = runs;
  if (statistics === "fresh") await database.query("analyze");
  return { explain: await planner(database), runs };
}

describe.each(["none", "fresh"] as const)("with statistics: %s", (statistics) => {
  it("a search reads what an index leaves, and a sweep its own rows", async () => {
    const { explain, runs } = await setup(statistics);
    const list = (filter: object) =>
      explain("select * from queue.workflow_list($1, max_runs => 10)", [JSON.stringify(filter)]);
    for (const filter of [
      { name: "rare" },
      { tags: { team: "a" } },
      { status: ["failed"] },
      { paused: true },
      { name: "crowd", idempotency_key: "none" },
      { name: "crowd", status: "running" },
      { name: "crowd", input: { order: { id: 42 } } },
      { name: "crowd", input: { order: { id: 42 } }, status: "running" },
      { name: "crowd" },
      { name: "crowd", started_before: "2020-01-01T00:00:00Z" },
      { name: "crowd", status: "failed" },
      { parent: "42" },
      { activity: "ready" },
      { name: "crowd", activity: ["waiting", "sleeping"] },
      {},
    ]) {
      const { scanned, buffers } = await list(filter);
      // A list of all workflows begins with their names.
      expect({ filter, scanned: scanned.filter((table) => table !== "queue") }).toEqual({
        filter,
        scanned: [],
      });
      expect({ filter, isCheap: buffers < 300 }).toEqual({ filter, isCheap: true });
    }
    // Nothing matches, so each of the hundred failed runs is read, and nothing else.
    for (const filter of [{ error_text: "declined" }, { error_code: "CARD_DECLINED" }]) {
      const { scanned, buffers } = await list(filter);
      expect({ filter, scanned: scanned.filter((table) => table !== "queue") }).toEqual({
        filter,
        scanned: [],
      });
      expect({ filter, isCheap: buffers < 1_000 }).toEqual({ filter, isCheap: true });
    }
    const [middle] = await runs.database.query(
      `select run_id, started_at::text from queue.workflow_list('{"name": "crowd"}', max_runs => 10000) offset 9999`,
    );
    const page = await explain(
      `select * from queue.workflow_list('{"name": "crowd"}', before => $1, before_started_at => $2, max_runs => 10)`,
      [middle?.["run_id"], middle?.["started_at"]],
    );
    expect(page.indexes).toContain("workflow_run_ended");
    expect(page.buffers).toBeLessThan(300);
    const sweep = await explain("select queue.workflow_sweep(100, 365)");
    // It has one row.
    expect(sweep.scanned).toEqual(["workflow_setting"]);
    expect(sweep.indexes).toContain("workflow_run_expiry");
    expect(sweep.buffers).toBeLessThan(100 * 40);
  });
});

it("the runs that have ended since are found by their end, among 100,000", async () => {
  const { explain, runs } = await setup("fresh");
  // The index summarizes pages when they are vacuumed.
  await runs.database.query("vacuum queue.workflow_run");
  const filter = JSON.stringify({ completed_after: "2999-01-01T00:00:00Z" });
  const { scanned, indexes, buffers } = await explain("select * from queue.workflow_list($1)", [
    filter,
  ]);
  expect(scanned).toEqual([]);
  expect(indexes).toContain("workflow_run_times");
  expect(buffers).toBeLessThan(300);
});

it("the newest of 100,000 runs in flight are found without looking at each", async () => {
  const database = await createDatabase();
  await database.query("alter table queue.workflow_run set (autovacuum_enabled = off)");
  await database.query(
    "select count(*) from queue.workflow_start_batch('crowd', array_fill(null::jsonb, array[100000]))",
  );
  await new Runs(database, "rare").start();
  const explain = await planner(database);
  const list = (filter: object) =>
    explain("select * from queue.workflow_list($1, max_runs => 10)", [JSON.stringify(filter)]);
  const [size] = await database.query<{ pages: number }>(
    "select (pg_relation_size('queue.workflow_continuation') / 8192)::int as pages",
  );
  for (const filter of [{ name: "crowd" }, { name: "crowd", status: "running", version: 1 }, {}]) {
    const { scanned, buffers, indexes } = await list(filter);
    expect({ filter, scanned: scanned.filter((table) => table !== "queue") }).toEqual({
      filter,
      scanned: [],
    });
    expect(indexes).toContain("workflow_continuation_ready");
    // Each page of the queue and of its index.
    expect(buffers).toBeLessThan(2 * (size?.pages ?? 0));
  }
  const { buffers } = await list({ name: "rare" });
  expect(buffers).toBeLessThan(100);
});
