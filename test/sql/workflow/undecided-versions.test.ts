/** Starts by name before the first registration of their workflow, which decides their version. */
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import { Runs } from "../../helpers/runs.ts";

const DAY_MS = 86_400_000;

interface Row {
  readonly version: number;
  readonly retention: number;
  readonly deadline: Date | null;
}

const database = await createDatabase();

const register = (name: string, versions: readonly number[], defaults = "null, null") =>
  `select queue.workflow_register(array_fill('${name}'::text, array[${versions.length}]), '{${versions.join()}}', ${defaults})`;

async function rowOf(runId: string): Promise<Row | undefined> {
  const [row] = await database.query<Row & Record<string, unknown>>(
    `select workflow_version as version, retention_days as retention, deadline
     from queue.workflow_run where run_id = $1`,
    [runId],
  );
  return row;
}

/** The runs that a worker of this version receives. */
const received = async (runs: Runs, version = 2): Promise<string[]> =>
  (await runs.receive(`versions => '{"${runs.name}": [${version}]}', max_runs => 100`)).map(
    ({ run_id: runId }) => runId,
  );

/** Whether a session waits for a lock. */
const isBlocked = (pid: number | undefined) =>
  eventually(
    () => database.query("select cardinality(pg_blocking_pids($1)) > 0 as blocked", [pid]),
    ([row]) => row?.["blocked"] === true,
  );

describe("a run that was started by name before the first registration", () => {
  it("takes the highest version that it registers, with its retention and deadline", async () => {
    const runs = new Runs(database, "awaited");
    const runId = await runs.start();
    expect(await rowOf(runId)).toEqual({ version: 1, retention: 30, deadline: null });
    expect(await received(runs)).toEqual([]);
    const before = Date.now();
    await database.query(register("awaited", [1, 2], "array[90, 7], array[null, 3600::numeric]"));
    const row = await rowOf(runId);
    expect(row).toMatchObject({ version: 2, retention: 7 });
    const deadline = row?.deadline?.getTime() ?? 0;
    expect(deadline).toBeGreaterThanOrEqual(before + 3_600_000 - 1000);
    expect(deadline).toBeLessThanOrEqual(Date.now() + 3_600_000 + 1000);
    expect(await runs.violations()).toEqual([]);
    expect(await received(runs)).toEqual([runId]);
  });

  it("keeps the version, the retention and the deadline that its start named", async () => {
    const runs = new Runs(database, "named");
    const deadline = new Date(Date.now() + DAY_MS);
    const versioned = await runs.start(", version => 1");
    const kept = await runs.start(
      `, retention_days => 30, deadline => '${deadline.toISOString()}'`,
    );
    const [first, second] = await database.query<{ run_id: string }>(
      "select run_id from queue.workflow_start_batch('named', '{null,null}', '{1,null}', retention_days => '{null,9}')",
    );
    await database.query(register("named", [2], "array[7], array[60]"));
    expect(await rowOf(versioned)).toEqual({ version: 1, retention: 30, deadline: null });
    expect(await rowOf(kept)).toEqual({ version: 2, retention: 30, deadline });
    expect(await rowOf(first?.run_id ?? "")).toMatchObject({ version: 1, retention: 30 });
    expect(await rowOf(second?.run_id ?? "")).toMatchObject({ version: 2, retention: 9 });
  });

  it("is kept for as long as the ceiling allows", async () => {
    const other = await createDatabase();
    const runs = new Runs(other, "ceiling");
    const runId = await runs.start();
    await other.query("select queue.workflow_set_max_retention(5)");
    await other.query(register("ceiling", [2], "array[7]"));
    const delivery = await runs.receiveOne();
    await runs.commit([{ delivery, transition: "complete" }]);
    const [row] = await other.query(
      "select extract(epoch from expires_at - completed_at)::float8 / 86400 as days from queue.workflow_run where run_id = $1",
      [runId],
    );
    expect(row).toEqual({ days: 5 });
  });

  it("stays with version 1 once a worker has received it", async () => {
    const runs = new Runs(database, "begun");
    const [leased, returned, later] = [await runs.start(), await runs.start(), await runs.start()];
    const deliveries = await runs.receive(`versions => '{"begun": [1]}', max_runs => 2`);
    expect(deliveries.map(({ run_id: runId }) => runId)).toEqual([leased, returned]);
    await runs.commit(
      deliveries.slice(1).map((delivery) => ({ delivery, transition: "release" as const })),
    );
    await database.query(register("begun", [2]));
    expect(await rowOf(leased)).toMatchObject({ version: 1 });
    expect(await rowOf(returned)).toMatchObject({ version: 1 });
    expect(await rowOf(later)).toMatchObject({ version: 2 });
    await database.query(register("begun", [3]));
    expect(await rowOf(later)).toMatchObject({ version: 2 });
    expect(await runs.violations()).toEqual([]);
  });

  it("keeps its delay, its pause, and its place in the flow control", async () => {
    await database.query(
      `select queue.workflow_set_flow_control('limited', '{"concurrency": 1}'),
         queue._create_workflow_queue('delayed')`,
    );
    const [limited, delayed] = [new Runs(database, "limited"), new Runs(database, "delayed")];
    const [first, second] = [await limited.start(), await limited.start()];
    const at = new Date(Date.now() + DAY_MS);
    const dated = await delayed.start(`, start_at => '${at.toISOString()}'`);
    const paused = await delayed.start();
    await database.query("select queue.workflow_pause($1)", [paused]);
    await database.query(register("limited", [2]));
    await database.query(register("delayed", [2], "array[1], array[60]"));
    expect(await delayed.violations()).toEqual([]);
    expect(await rowOf(dated)).toMatchObject({ deadline: new Date(at.getTime() + 60_000) });
    expect(await received(delayed)).toEqual([]);
    await database.query("select queue.workflow_resume($1)", [paused]);
    expect(await received(delayed)).toEqual([paused]);
    expect(await received(limited)).toEqual([first]);
    expect(await rowOf(second)).toMatchObject({ version: 2 });
  });

  it("may be the child of a step", async () => {
    await database.query(register("parent", [1]));
    const parents = new Runs(database, "parent");
    await parents.start();
    const delivery = await parents.receiveOne();
    await database.query(
      `select * from queue.workflow_commit('{parent}', array[$1::bigint], array[$2::bigint], '{keep}', '{null}', null,
         effect_items => '{1,1,1}', effect_kinds => '{detach,detach,detach}', effect_steps => '{a,b,c}',
         effect_targets => '{child,child,child}', effect_values => '{null,null,null}',
         effect_versions => '{null,1,null}', effect_retention => '{null,null,12}')`,
      [delivery.run_id, delivery.receipt],
    );
    await database.query(register("child", [2], "array[7]"));
    expect(
      await database.query(
        `select parent_step, workflow_version as version, retention_days as retention
         from queue.workflow_run where workflow_name = 'child' order by parent_step`,
      ),
    ).toEqual([
      { parent_step: "a", version: 2, retention: 7 },
      { parent_step: "b", version: 1, retention: 30 },
      { parent_step: "c", version: 2, retention: 12 },
    ]);
    expect(await parents.violations()).toEqual([]);
  });
});

describe("a start by name during the first registration", () => {
  it("takes the version that is about to be registered", async () => {
    await database.query("select queue._create_workflow_queue('upcoming')");
    const [worker, starter] = [await database.connect(), await database.connect()];
    const { rows } = await starter.query<{ pid: number }>("select pg_backend_pid() as pid");
    await worker.query(`begin; ${register("upcoming", [2])}`);
    const started = starter.query("select run_id from queue.workflow_start('upcoming')");
    await isBlocked(rows[0]?.pid);
    await worker.query("commit");
    const { run_id: runId } = (await started).rows[0] as { run_id: string };
    expect(await rowOf(runId)).toMatchObject({ version: 2 });
  });

  it("is seen by a registration that begins before it commits", async () => {
    await database.query("select queue._create_workflow_queue('seen')");
    const [worker, starter] = [await database.connect(), await database.connect()];
    const { rows } = await worker.query<{ pid: number }>("select pg_backend_pid() as pid");
    await starter.query("begin");
    const started = await starter.query("select run_id from queue.workflow_start('seen')");
    const registered = worker.query(register("seen", [2]));
    await isBlocked(rows[0]?.pid);
    await starter.query("commit");
    await registered;
    const { run_id: runId } = started.rows[0] as { run_id: string };
    expect(await rowOf(runId)).toMatchObject({ version: 2 });
  });

  it("fails, in a transaction that can't see the version, as one that must be repeated", async () => {
    await database.query("select queue._create_workflow_queue('repeated')");
    const starter = await database.connect();
    await starter.query("begin isolation level repeatable read; select 1");
    await database.query(register("repeated", [2]));
    await expect(
      starter.query("select run_id from queue.workflow_start('repeated')"),
    ).rejects.toMatchObject({ code: "40001" });
  });
});
