/** Connections that fall silent without an error, where the answer timeout is the usual one. */
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { createInstalled, startCluster } from "../helpers/clusters.ts";
import { createDatabase } from "../helpers/database.ts";
import { Pool } from "../../sdk/src/transport/postgres/connection/pool.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { eventually } from "../helpers/eventually.ts";
import { FaultyNetwork } from "../helpers/faulty-network.ts";
import { silent } from "../helpers/silent-logger.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

/** Less than half of the answer timeout, by which all of them would be found. */
const SOON_MS = 14_000;

const since = (startedAt: number): number => performance.now() - startedAt;

it("a client all of whose connections are silent finds that by asking the database, and works by new ones", async () => {
  const database = await createDatabase();
  const network = await FaultyNetwork.before(database.url);
  await using client = createWorkflowClient({ url: network.url, maxConnections: 4 });
  await Promise.all(Array.from({ length: 8 }, () => client.runs.count()));
  await client.start("known", {});
  expect(network.fallSilent()).toBeGreaterThanOrEqual(4);

  const startedAt = performance.now();
  const asked = Array.from({ length: 12 }, async (_none, n) => {
    const start = () => client.start("known", {}, { idempotencyKey: String(n) });
    // A request without an answer is reported as such; with its key it may be repeated.
    const startAgain = (error: unknown) => {
      expect(error).toMatchObject({ code: "CONNECTION_FAILED" });
      return start();
    };
    await start().catch(startAgain).catch(startAgain);
  });
  await Promise.all(asked);
  expect(since(startedAt)).toBeLessThan(SOON_MS);
  expect(await client.runs.count({ workflow: "known" })).toBe(13);
});

it("a statement that takes long on a healthy connection is left alone", async () => {
  const { serve, client } = await setupWorkflows();
  let calls = 0;
  const slow = workflow({
    name: "slow-tx",
    run: (ctx) =>
      ctx.step.tx("sleep", async (tx) => {
        calls += 1;
        await tx.query("select pg_sleep(8)");
        return "slept";
      }),
  });
  serve([slow]);
  const run = await client.start(slow, undefined);
  expect(await run.result({ timeout: "60s" })).toBe("slept");
  expect(calls).toBe(1);
});

it.each(["a statement of its callback", "its commit"])(
  "a step.tx that is silent at %s ends soon, in the database too, and is done once",
  async (where) => {
    const { database, client, serve, violations } = await setupWorkflows();
    await database.query("create table ledger (run_id text)");
    const network = await FaultyNetwork.before(database.url);
    let calls = 0;
    const pay = workflow({
      name: "pay",
      run: (ctx) =>
        ctx.step.tx("pay", async (tx) => {
          calls += 1;
          await tx.query("insert into ledger values ($1)", [ctx.runId]);
          if (calls === 1) network.fallSilent();
          if (where === "a statement of its callback") await tx.query("select 1");
        }),
    });
    const worker = serve([pay], { url: network.url, logger: silent });
    const startedAt = performance.now();
    const run = await client.start(pay, undefined);
    await run.result({ timeout: "60s" });
    expect(since(startedAt)).toBeLessThan(2 * SOON_MS);
    expect(await database.query("select run_id from ledger")).toEqual([{ run_id: run.runId }]);
    const left = await database.query(
      "select pid from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
    );
    expect(left).toEqual([]);
    await worker.stop();
    expect(await violations()).toEqual([]);
  },
  120_000,
);

/** Gives up an answer sooner than the database is asked about silent sessions. */
function openImpatientPool(url: string): Pool {
  const pool = new Pool({
    url,
    maxConnections: 2,
    applicationName: "test",
    hasOwnSessions: true,
    answerWithinMs: 1_000,
    onSilence: () => {},
  });
  atFileEnd(() => pool.close());
  return pool;
}

it("a transaction whose COMMIT is not answered in time leaves no session behind, though TCP stays", async () => {
  const database = await createDatabase();
  await database.query("create table ledger (entry text primary key)");
  const network = await FaultyNetwork.before(database.url);
  const pool = openImpatientPool(network.url);
  const committed = pool.transaction(async (tx) => {
    await tx.query("insert into ledger values ($1)", ["rent"]);
    network.fallSilent();
  });
  await expect(committed).rejects.toThrow("timeout");
  // Waits for the lock that the session of the transaction has.
  await database.query("insert into ledger values ('rent')");
});

it("a transaction that is given up cancels nothing of another session, though it has its process id at the new primary", async () => {
  const database = await createDatabase();
  const network = await FaultyNetwork.before(database.url);
  const pool = openImpatientPool(network.url);
  const idOf = "select pg_backend_pid()::text as id";
  let own = "";
  await pool.transaction(async (tx) => {
    const [row] = (await tx.query(idOf, [])).rows as { id: string }[];
    own = row?.id ?? "";
  });
  const stranger = await database.connect();
  const [{ id } = { id: "" }] = (await stranger.query<{ id: string }>(idOf)).rows;
  expect(id).toHaveLength(own.length);
  // The statement is asked of one database for both servers: its session has another id there.
  network.replaceInAnswers(own, id);

  const work = stranger.query("select pg_sleep(6), 'done' as is");
  const statement = "select pg_sleep(600)";
  const givenUp = new AbortController();
  const transaction = pool.transaction(async (tx) => {
    await tx.query(statement, []);
  }, givenUp.signal);
  const sleeping = () =>
    database.query("select pid::text from pg_stat_activity where query = $1 and state = 'active'", [
      statement,
    ]);
  await eventually(sleeping, { length: 1 });
  expect(await sleeping()).toEqual([{ pid: own }]);
  givenUp.abort(new Error("timed out"));
  await expect(transaction).rejects.toThrow("timed out");
  await expect(work).resolves.toMatchObject({ rows: [{ is: "done" }] });
  await database.query("select pg_terminate_backend($1)", [Number(own)]);
});

it("a transaction that falls silent ends no session that has its process id at the new primary", async () => {
  const database = await createDatabase();
  const network = await FaultyNetwork.before(database.url);
  const pool = new Pool({
    url: `${network.url}?target_session_attrs=read-write`,
    maxConnections: 1,
    applicationName: "test",
    hasOwnSessions: true,
    answerWithinMs: 60_000,
    onSilence: () => {},
  });
  atFileEnd(() => pool.close());
  const idOf = "select pg_backend_pid()::text as id";
  let own = "";
  await pool.transaction(async (tx) => {
    const [row] = (await tx.query(idOf, [])).rows as { id: string }[];
    own = row?.id ?? "";
  });
  const stranger = await database.connect();
  await stranger.query("begin");
  const [{ id } = { id: "" }] = (await stranger.query<{ id: string }>(idOf)).rows;
  expect(id).toHaveLength(own.length);
  // One database stands for both servers: the session has another id there.
  network.replaceInAnswers(own, id);

  const transaction = pool.transaction(async (tx) => {
    network.fallSilent();
    await tx.query("select 1", []);
  });
  await expect(transaction).rejects.toThrow("fallen silent");
  await expect(stranger.query("commit")).resolves.toMatchObject({ command: "COMMIT" });
  await database.query("select pg_terminate_backend($1)", [Number(own)]);
});

it("a worker in the middle of its work stops in time though its connections are silent", async () => {
  const { client, serve, database } = await setupWorkflows();
  const network = await FaultyNetwork.before(database.url);
  let calls = 0;
  const long = workflow({
    name: "long",
    run: (ctx) =>
      ctx.step.run("call", async (signal) => {
        calls += 1;
        await setTimeout(60_000, undefined, { signal });
      }),
  });
  const worker = serve([long], { url: network.url, logger: silent, stopTimeout: "500ms" });
  await client.start(long, undefined);
  await eventually(() => calls, 1);
  network.change({ isParted: true });
  const startedAt = performance.now();
  await worker.stop();
  expect(since(startedAt)).toBeLessThan(9_500);
});

it("an idle worker and an idle consumer stop immediately though the database is away", async () => {
  await using cluster = await startCluster();
  const url = await createInstalled(cluster, "away");
  await using client = createWorkflowClient({ url });
  await client.queues.create("mail");
  const idle = createWorker({
    url,
    workflows: [workflow({ name: "idle", run: () => {} })],
    logger: silent,
  });
  const consumer = client.queues.consume("mail", () => {}, { logger: silent });
  const connected = (): Promise<unknown> => client.runs.count();
  await connected();
  await setTimeout(500);
  await cluster.kill();
  // Now both ask again and again, with growing pauses.
  await setTimeout(3_000);
  const startedAt = performance.now();
  await Promise.all([idle.stop(), consumer.stop()]);
  expect(since(startedAt)).toBeLessThan(3_500);
});
