import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "@oxbow/sdk/internal/server";
import { startPostgres } from "@oxbow/sdk/testing";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { askOnce } from "../helpers/ask-once.ts";
import { OLDEST_POSTGRES } from "../helpers/debian-postgres.ts";
import { makeFolder } from "../helpers/forks.ts";
import { startForgetful } from "../helpers/lost-tail.ts";

type Query = ReturnType<typeof askOnce>;

/** Every id that a caller can be given, each by a separate session. */
async function drawIds(query: Query): Promise<Record<string, number[]>> {
  const ids: Record<string, number[]> = {};
  for (const [kind, call] of Object.entries({
    run: "run_id from queue.workflow_start('job', '1')",
    rerun: "queue.workflow_rerun(run_id) from queue.workflow_start('job', '1')",
    message: "queue.send('plain', '1')",
    ordered: "queue.send_fifo('ordered', '1', 'group')",
    subscription: "queue.subscribe('a.' || gen_random_uuid(), 'queue', 'plain')",
  })) {
    ids[kind] = [];
    for (let time = 0; time < 3; time += 1) {
      const [row] = await query(`select id from (select ${call}) as drawn (id)`);
      ids[kind].push(Number(row?.["id"]));
    }
  }
  return ids;
}

const database = await startForgetful();
await prepare(database.query);

async function prepare(query: Query): Promise<void> {
  await query("select queue.create_queue('plain'), queue.create_queue('ordered', fifo => true)");
  await drawIds(query);
}

const sentSoFar = async (query: Query, queue: string): Promise<number> => {
  const [row] = await query("select total_sent from queue.queue_stats($1)", [queue]);
  return Number(row?.["total_sent"]);
};

function expectNoneTwice(
  lost: Readonly<Record<string, number[]>>,
  later: Readonly<Record<string, number[]>>,
): void {
  for (const [kind, ids] of Object.entries(lost)) {
    const again = (later[kind] ?? []).filter((id) => id <= Math.max(...ids));
    expect({ kind, again }).toEqual({ kind, again: [] });
  }
}

it("ids that a crash has lost with the tail of the log are not given out again, crash after crash", async () => {
  const { query } = database;
  let lost = await drawIds(query);
  for (let crash = 1; crash <= 2; crash += 1) {
    await database.beginTail();
    lost = await drawIds(query);
    const [before] = await query(
      "select queue.create_queue('lost'), queue.send('lost', '1') as id",
    );
    await database.loseTail();
    expect(await query("select from queue.list_queues() where name = 'lost'")).toEqual([]);
    const later = await drawIds(query);
    expectNoneTwice(lost, later);
    const [after] = await query("select queue.create_queue('lost'), queue.send('lost', '1') as id");
    expect(Number(after?.["id"])).toBeGreaterThan(Number(before?.["id"]));
    expect(await sentSoFar(query, "lost")).toBe(1);
    expect(await sentSoFar(query, "plain")).toBeLessThan(1_000);
    await query("select queue.drop_queue('lost')");
  }
  expect(await query("select * from queue.check_invariants()")).toEqual([]);
});

it("a clean restart skips no ids", async () => {
  const { cluster, query } = database;
  const before = await drawIds(query);
  await cluster.restart();
  const after = await drawIds(query);
  for (const [kind, ids] of Object.entries(before)) {
    expect(Math.min(...(after[kind] ?? [])) - Math.max(...ids)).toBeLessThan(1_000);
  }
});

it("a transaction that draws the first id after a crash and stays open keeps no other from drawing", async () => {
  const { query, url } = database;
  await database.loseTail();
  const open = new pg.Client(url);
  await open.connect();
  onTestFinished(() => open.end().catch(() => {}));
  await open.query("begin");
  const { rows } = await open.query<{ id: string }>("select queue.send('plain', '1') as id");
  const others = await drawIds(query);
  await open.query("rollback");
  expect(Math.abs(Number(rows[0]?.id) - Number(others["message"]?.[0]))).toBeLessThan(1_000);
  await open.end();
});

it("ids that a promoted standby has never heard of are not given out again", async () => {
  const folder = makeFolder();
  const [dataDir, standbyDir] = [join(folder, "data"), join(folder, "standby")];
  const first = await startPostgres({ dataDir, ...OLDEST_POSTGRES });
  const query = askOnce(await first.createDatabase("app"));
  await migrate(first.urlOf("app"));
  await prepare(query);
  await first.stop();
  execFileSync("cp", ["-a", dataDir, standbyDir]);

  const primary = await startPostgres({ dataDir, ...OLDEST_POSTGRES });
  onTestFinished(() => primary.stop({ mode: "immediate" }));
  const lost = await drawIds(askOnce(primary.urlOf("app")));

  writeFileSync(join(standbyDir, "standby.signal"), "");
  const standby = await startPostgres({ dataDir: standbyDir, ...OLDEST_POSTGRES });
  onTestFinished(() => standby.stop({ mode: "immediate" }));
  const promoted = askOnce(standby.urlOf("app"));
  await promoted("select pg_promote()");
  expectNoneTwice(lost, await drawIds(promoted));
});
