/**
 * The cost of a worker's calls with 100,000 sleeping runs and a backlog without a worker, by the plans that
 * really ran, under any statistics. The bounds are about twice what was measured. A session makes its plans at the first
 * call, and again when others have changed enough of the catalog.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { type CallPlans, planner } from "../../helpers/plans.ts";
import { Runs } from "../../helpers/runs.ts";

const SLEEPING = 100_000;
const UNSERVED = 10_000;
const READY = 10;
const TABLE = "queue.workflow_continuation";

type Statistics = "none" | "fresh";

const startMany = (database: TestDatabase, count: number, version: number, delay: number) =>
  database.query(
    `select count(*) from queue.workflow_start_batch(
       'crowd', array_fill('{}'::jsonb, array[$1::int]), array_fill($2::int, array[$1::int]),
       delay_seconds => array_fill($3::numeric, array[$1::int]))`,
    [count, version, delay],
  );

/** Without statistics. */
let crowd: TestDatabase;

beforeAll(async () => {
  crowd = await createDatabase();
  await new Runs(crowd, "crowd").start(", version => 9");
  await crowd.query(`alter table ${TABLE} set (autovacuum_enabled = off)`);
  await startMany(crowd, SLEEPING, 1, 3_600);
  await startMany(crowd, UNSERVED, 2, 0);
});

async function setup(statistics: Statistics) {
  const runs = new Runs(await createDatabase({ copyOf: crowd }), "crowd");
  if (statistics === "fresh") await runs.database.query("analyze");
  return { runs, explain: await planner(runs.database) };
}

describe.each<Statistics>(["none", "fresh"])("with statistics: %s", (statistics) => {
  it("a receive reads the ready runs of the versions it serves, and a commit its own rows", async () => {
    const { runs, explain } = await setup(statistics);
    const receive = `select * from queue.workflow_receive(array['crowd'], '{"crowd": [1, 3]}', 100)`;
    await explain(receive);

    const idle = await explain(receive);
    expect(idle.indexes).toContain("workflow_continuation_ready");
    expect(idle.scanned).toEqual([]);
    expect(idle.buffers).toBeLessThan(150);

    await startMany(runs.database, READY, 3, 0);
    const busy = await explain(receive);
    expect(busy.scanned).toEqual([]);
    expect(busy.buffers).toBeLessThan(60 * READY);

    await runs.endLeases();
    const deliveries = await runs.receive(`'{"crowd": [3]}', max_runs => 100`);
    expect(deliveries.length).toBe(READY);
    const commits = [];
    for (const delivery of deliveries)
      commits.push(
        await explain(
          `select * from queue.workflow_commit(array['crowd'], array[$1::bigint], array[$2::bigint], array['complete'],
             array['1']::jsonb[], null, array[1], array[1], array['a'], array['run'], array['1']::jsonb[], null,
             array[1], array[1])`,
          [delivery.run_id, delivery.receipt],
        ),
      );
    expect(commits.flatMap(({ scanned }) => scanned)).toEqual([]);
    // Without those that made plans, which looks at the roots of all indexes of a table.
    expect(Math.min(...commits.map(({ buffers }) => buffers))).toBeLessThan(100);

    const next = await explain(
      `select queue.workflow_next_visible_at(array['crowd'], '{"crowd": [1, 3]}')`,
    );
    expect(next.scanned).toEqual([]);
    expect(next.buffers).toBeLessThan(100);
  });
});

it("calls that were planned on an empty database still read only their own rows when it is full", async () => {
  const runs = new Runs(await createDatabase(), "grown");
  const { database } = runs;
  // Later, an analyze would have the plans made again.
  await database.query(
    `alter table ${TABLE} set (autovacuum_enabled = off);
     alter table queue.workflow_run set (autovacuum_enabled = off);
     analyze`,
  );
  const explain = await planner(database);
  const calls = async (): Promise<Record<string, CallPlans>> => {
    await runs.start();
    const { run_id: runId, receipt } = await runs.receiveOne();
    const heartbeat = await explain(
      "select * from queue.workflow_heartbeat(array[$1::bigint], 30, known => array['{}'::jsonb])",
      [receipt],
    );
    const [keep, suspend] = [
      await explain(
        `select * from queue.workflow_commit('{grown}', array[$1::bigint], array[$2::bigint], '{keep}',
           array['{"waits": [], "retries": [], "journaled": 0}'::jsonb], null)`,
        [runId, receipt],
      ),
      await explain(
        `select * from queue.workflow_commit('{grown}', array[$1::bigint], array[$2::bigint], '{suspend}',
           array['{"waits": [], "retries": [], "journaled": 0}'::jsonb], null)`,
        [runId, receipt],
      ),
    ];
    return { heartbeat, keep, suspend };
  };
  await calls();
  await database.query(
    "select count(*) from queue.workflow_start_batch('grown', array_fill('{}'::jsonb, array[20000]), delay_seconds => array_fill(3600::numeric, array[20000]))",
  );
  const found = Object.entries(await calls()).map(([name, { buffers }]) => ({ name, buffers }));
  expect(found.filter(({ buffers }) => buffers >= 100)).toEqual([]);
});

it("the failure of a run reads no definition that doesn't pause after failures", async () => {
  const runs = new Runs(await createDatabase(), "failing");
  const { database } = runs;
  await database.query(
    `select queue.definition_create(d.name, jsonb_build_object('format', 1, 'name', d.name, 'nodes', '{}'::jsonb))
     from (select 'd-' || n as name from generate_series(1, 2000) as n) as d`,
  );
  await database.query("analyze");
  const explain = await planner(database);
  await runs.start();
  const { run_id: id, receipt } = await runs.receiveOne();
  const failure = await explain(
    `select * from queue.workflow_commit('{failing}', array[$1::bigint], array[$2::bigint], '{fail}',
       array['{"code": "STEP_FAILED"}']::jsonb[], null, '{}', '{}', '{}', '{}', '{}', null, '{}', '{}')`,
    [id, receipt],
  );
  expect(failure.indexes).toContain("definition_pausing");
  expect(failure.scanned).not.toContain("definition");
});

it("the end of runs past their deadline reads no others that have one", async () => {
  const runs = new Runs(await createDatabase(), "late");
  const { database } = runs;
  await runs.start();
  await database.query("alter table queue.workflow_run set (autovacuum_enabled = off)");
  const start = (count: number) =>
    database.query(
      "select count(*) from queue.workflow_start_batch('late', array_fill('{}'::jsonb, array[$1::int]))",
      [count],
    );
  const fill = async () => {
    await start(20_000);
    await database.query(
      "update queue.workflow_run set deadline = clock_timestamp() + interval '1 day'",
    );
  };
  await start(20);
  // Vacuumed while it is nearly empty, and then filled again.
  await fill();
  await database.query("delete from queue.workflow_run where run_id > 20");
  await database.query("vacuum queue.workflow_run");
  await fill();

  const explain = await planner(database);
  const { indexes } = await explain("select queue._end_undeliverable_runs('{6, 7, 8}', now())");
  expect(await runs.status("6")).toMatchObject({ status: "failed" });
  expect(indexes).not.toContain("workflow_run_deadline");
});

it("a wait reads the signal that it takes, however many are behind it", async () => {
  const runs = new Runs(await createDatabase(), "flooded");
  const { database } = runs;
  const explain = await planner(database);
  const runId = await runs.start();
  const { receipt } = await runs.receiveOne();
  const signal = (count: number) =>
    database.query(
      "select count(queue.workflow_signal($1, 'go', to_jsonb(n))) from generate_series(1, $2::integer) as n",
      [runId, count],
    );
  const take = (step: string) =>
    explain(
      `select * from queue.workflow_commit('{flooded}', array[$1::bigint], array[$2::bigint], '{keep}', array[$3::jsonb], null)`,
      [
        runId,
        receipt,
        JSON.stringify({
          waits: [{ kind: "event", step, event: "go" }],
          retries: [],
          journaled: 0,
        }),
      ],
    );
  await signal(2);
  await take("first");
  await signal(10_000);
  const taken = await take("second");
  expect(taken.indexes).toContain("workflow_buffered_signal_pkey");
  expect(taken.scanned).toEqual([]);
  expect(taken.buffers).toBeLessThan(150);
  expect(
    await database.query(
      "select output from queue.workflow_step where run_id = $1 order by position",
      [runId],
    ),
  ).toEqual([{ output: 1 }, { output: 2 }]);
});
