/** A worker that is killed in each built-in node that acts outside of its run. */
import type { ServerResponse } from "node:http";
import { createWorkflowClient } from "@oxbow/sdk";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { serveHttp } from "../helpers/http-server.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const PROGRAM = new URL("../helpers/programs/declared-nodes-worker.ts", import.meta.url);

/** Workflows of one node each, and their outputs. */
const OUTPUTS = {
  http: { status: 200, headers: expect.any(Object) as unknown, body: "done" },
  js: "done",
  sql: { rows: [{ name: "sql" }], count: 1 },
  own: { rows: [{ name: "own" }], count: 1 },
  send: { id: expect.any(String) as unknown },
  publish: null,
};

it("a killed worker repeats the node that it was in, and what commits with the journal has one effect", async () => {
  const database = await createDatabase();
  const shop = await createDatabase();
  const client = createWorkflowClient({ url: database.url });
  const keys: unknown[] = [];
  const held: ServerResponse[] = [];
  const url = await serveHttp((request, response) => {
    request.resume();
    keys.push(request.headers["idempotency-key"]);
    // The first request never gets an answer.
    if (keys.length === 1) held.push(response);
    else response.writeHead(200, { "content-type": "application/json" }).end('"done"');
  });
  // Locks that hold the first worker's statements.
  const lockers = await Promise.all([database.connect(), shop.connect()]);
  atFileEnd(() => client.close());

  for (const each of [database, shop]) {
    await each.query("create table public.effect (name text)");
  }
  await client.queues.create("held");
  await client.topics.subscribe("held.*", { queue: "held" });
  const sent = await queueTable(database);
  const tables = [`public.effect, ${sent}`, "public.effect"];
  for (const [at, locker] of lockers.entries()) {
    await locker.query(`begin; lock table ${tables[at]} in share row exclusive mode`);
  }

  const args = [database.url, shop.url, `${url}/`];
  const first = startWorkerProcess(PROGRAM, { args });
  await first.line(/^serving/);
  const runs = await Promise.all(
    Object.entries(OUTPUTS).map(async ([name, expected]) => ({
      name,
      expected,
      // The code loops until its time limit, unless it is called later than this.
      run: await client.start(name, { until: Date.now() + 3_000 }),
    })),
  );
  await eventually(() => keys.length, 1);
  await eventually(
    async () => [await waiting(database), await waiting(shop)],
    ([own = 0, other = 0]) => own >= 3 && other >= 1,
  );
  await first.kill();
  for (const locker of lockers) await locker.query("rollback");
  for (const each of [database, shop]) {
    await eventually(() => waiting(each), 0);
  }

  const second = startWorkerProcess(PROGRAM, { args: [...args, "30s"] });
  await second.line(/^serving/);
  for (const { name, run, expected } of runs) {
    const output = await run.result({ timeout: "120s" });
    expect([name, output]).toEqual([name, expected]);
    expect(await client.runs.steps(run.runId)).toMatchObject([{ name: "node" }]);
  }

  // Both attempts have the same key, by which the target recognizes the second.
  const http = runs.find(({ name }) => name === "http")?.run.runId;
  expect(keys).toEqual([`${http}:node`, `${http}:node`]);
  expect(await database.query("select name from public.effect")).toEqual([{ name: "own" }]);
  // The kill came before the commit. After it, another database would have the statement twice.
  expect(await shop.query("select name from public.effect")).toEqual([{ name: "sql" }]);
  const messages = await client.queues.receive("held", { max: 10 });
  expect(new Set(messages.map(({ body }) => body))).toEqual(new Set(["publish", "send"]));
  expect(messages).toHaveLength(2);
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
}, 480_000);

interface Queryable {
  readonly query: (text: string) => Promise<readonly Record<string, unknown>[]>;
}

/** The table that holds the messages of the queue. */
async function queueTable(database: Queryable): Promise<string> {
  const [row] = await database.query("select queue._queue_table('held')::text as name");
  return String(row?.["name"]);
}

/** How many sessions wait for a lock. */
async function waiting(database: Queryable): Promise<number> {
  const [row] = await database.query(
    "select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return Number(row?.["count"]);
}
