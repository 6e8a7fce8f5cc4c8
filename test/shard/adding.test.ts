/**
 * A shard that joins a fleet under load, with processes of workers: clients that don't know it continue until it is
 * opened, its part of the slots moves there, a key keeps its one run (X3), and no step is called twice (X6).
 */
import { setTimeout as delay } from "node:timers/promises";
import { createWorkflowClient } from "@oxbow/sdk";
import { expect, it } from "vitest";
import { OXBOW, oxbow } from "../helpers/command.ts";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { createFleet, pairsOf, queryAll } from "../helpers/fleet.ts";
import { startMovingWorker } from "../helpers/moving-workers.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const ROUTES = 60;

async function startAll(
  client: ReturnType<typeof createWorkflowClient>,
  ms: number,
): Promise<string[]> {
  const runs = await Promise.all(
    Array.from({ length: ROUTES }, (_, n) =>
      client.start("moving", { steps: 2, ms }, { route: `r${n}`, idempotencyKey: `r${n}/1` }),
    ),
  );
  return runs.map(({ runId }) => runId);
}

it("a third shard joins, is opened, and takes its part", { timeout: 300_000 }, async () => {
  const { shards: two, databases } = await createFleet();
  const [a, b, c] = [databases["a"], databases["b"], await createDatabase({ empty: true })] as [
    TestDatabase,
    TestDatabase,
    TestDatabase,
  ];
  const three = { ...two, c: c.url };
  await a.query("create table call (run_id bigint, step text)");
  const worker = await startMovingWorker("30s", two);
  await using client = createWorkflowClient({ shards: two });
  await client.queues.create("orders");
  const started = await startAll(client, 30);

  const add = ["shards", "add", `c=${c.url}`, ...pairsOf(two)];
  for (const ms of [400, 700, 1_000]) {
    const killed = startWorkerProcess(OXBOW, { args: add });
    await delay(ms);
    await killed.kill();
  }
  const added = await oxbow(add);
  expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining("with block 2") });
  expect(await oxbow(add)).toMatchObject({ code: 0 });

  // Nothing is at home there, so clients without its url start and list as before.
  await using unaware = createWorkflowClient({ shards: two });
  expect(await startAll(unaware, 0)).toEqual(started);
  expect(await unaware.runs.count()).toBe(ROUTES);
  await using aware = createWorkflowClient({ shards: three });
  for (let n = 0; n < 6; n += 1) await aware.start("moving", { steps: 1, ms: 0 });
  expect(await c.query("select from queue.workflow_run")).toEqual([]);
  const part = ["shards", "move", "--slots", "0-10", "--to", "c", ...pairsOf(three)];
  expect((await oxbow(part)).stderr).toContain('Shard "c" is not open yet');

  const successor = await startMovingWorker("30s", three);
  await worker.stop();
  const opened = await oxbow(["shards", "open", "c", ...pairsOf(three)]);
  expect(opened.code).toBe(0);
  const slots = /--slots (\d+)-(\d+) --to c/.exec(opened.stderr) ?? [];
  expect(Number(slots[2]) - Number(slots[1])).toBe(340);
  // Those that were running while it was added find out, and so do new ones.
  await eventually(
    () => unaware.runs.count().catch(String),
    (found) => String(found).includes('shards that `shards` lacks: "c"'),
  );
  await using late = createWorkflowClient({ shards: two });
  await expect(late.runs.count()).rejects.toThrow('shards that `shards` lacks: "c"');
  await eventually(async () => {
    await aware.start("moving", { steps: 1, ms: 0 });
    return c.query("select from queue.workflow_run");
  }, isNotEmpty);

  const move = ["shards", "move", "--slots", `${slots[1]}-${slots[2]}`, "--to", "c"];
  const moving = startWorkerProcess(OXBOW, { args: [...move, ...pairsOf(three)] });
  await delay(1_500);
  await moving.kill();
  expect(await oxbow([...move, ...pairsOf(three)])).toMatchObject({ code: 0 });
  expect(await startAll(aware, 0)).toEqual(started);
  const status = await oxbow(["shards", "status", ...pairsOf(three)]);
  expect(status.code).toBe(0);
  expect(status.stdout).toMatch(/^c +joined +341\/1024/m);

  const all = queryAll([a, b, c]);
  await eventually(() => all("select from queue.workflow_run where status = 'running'"), []);
  const routed = await c.query("select from queue.workflow_run where route is not null");
  expect(routed.length).toBeGreaterThan(0);
  expect(await all("select run_id from queue.workflow_run where route is not null")).toHaveLength(
    ROUTES,
  );
  expect(await a.query("select from call group by run_id, step having count(*) > 1")).toEqual([]);
  expect(await all("select * from queue.check_invariants()")).toEqual([]);
  expect(await c.query("select name from queue.list_queues() where name = 'orders'")).toHaveLength(
    1,
  );
  await successor.stop();
});

it("refuses databases with runs, shards that are missing, and names that are taken", async () => {
  const { shards: two } = await createFleet();
  const used = await createDatabase();
  await used.query("select queue.workflow_start('used')");
  const inUse = await oxbow(["shards", "add", `c=${used.url}`, ...pairsOf(two)]);
  expect(inUse.stderr).toContain('shard "c" has runs or messages');
  const empty = await createDatabase();
  const some = await oxbow(["shards", "add", `c=${empty.url}`, `a=${two["a"]}`]);
  expect(some.stderr).toContain('The fleet has a shard "b"');
  const known = await oxbow(["shards", "open", "c", ...pairsOf(two)]);
  expect(known.stderr).toContain('no url of shard "c"');
  const unknown = await oxbow(["shards", "open", "c", ...pairsOf(two), `c=${empty.url}`]);
  expect(unknown.stderr).toContain("is in no fleet");
  for (const { code } of [inUse, some, known, unknown]) expect(code).not.toBe(0);
});
