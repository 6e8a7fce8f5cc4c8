/** A worker opens as many connections as is documented, whatever its runs do; without one to spare, clients wait. */
import { randomBytes } from "node:crypto";
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { countStatements } from "../helpers/counted-statements.ts";
import { atLeast, eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";

const database = await createDatabase();
await database.query("create table paid (run_id bigint, n integer)");

/** Each in its own transaction, while others wait for the commits of their runs. */
const pays = workflow({
  name: "pays",
  run: async ({ step, runId }) => {
    const pay = (n: number): Promise<void> =>
      step.tx(`pay-${n}`, async (tx) => {
        await tx.query("insert into paid values ($1, $2)", [runId, n]);
      });
    await Promise.all([pay(1), step.run("call", () => 1), pay(2), step.sleep("nap", 5), pay(3)]);
    await pay(4);
  },
});

const RUNS = 20;

it.each([
  [6, 7],
  [2, 3],
  // A transaction waits for statements of its run.
  [1, 3],
])(
  "with maxConnections %i at most %i, also by a role that may not open more",
  async (maxConnections, most) => {
    const role = `limited_${randomBytes(6).toString("hex")}`;
    await database.query(
      `create role ${role} login password 'secret' connection limit ${most} in role oxbow_worker`,
    );
    await database.query(`grant insert on paid to ${role}`);
    const url = new URL(database.url);
    url.username = role;
    url.password = "secret";
    await using client = createWorkflowClient({ url: database.url });
    await using worker = createWorker({
      url: url.href,
      workflows: [pays],
      concurrency: 10,
      maxConnections,
      localStarts: false,
    });
    atFileEnd(async () => {
      await database.query(`drop owned by ${role}`);
      await database.query(`drop role ${role}`);
    });
    const troubles: unknown[] = [];
    worker.events.on("trouble", ({ doing, error }) => void troubles.push(doing, error));

    const runs = await client.startBatch(
      pays,
      Array.from({ length: RUNS }, () => ({ input: undefined })),
    );
    const over = new AbortController();
    const watch = async (): Promise<number> => {
      let highest = 0;
      while (!over.signal.aborted) {
        const [row] = await database.query<{ count: number }>(
          "select count(*)::integer as count from pg_stat_activity where usename = $1",
          [role],
        );
        highest = Math.max(highest, row?.count ?? 0);
      }
      return highest;
    };
    const watched = watch();
    await Promise.all(runs.map((run) => run.result({ timeout: "120s" }))).finally(() => {
      over.abort();
    });
    const highest = await watched;
    expect(highest).toBeLessThanOrEqual(most);
    expect(highest).toBeGreaterThanOrEqual(3);
    expect(troubles).toEqual([]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  },
  180_000,
);

it("consumes FIFO queues in a database whose transactions are repeatable read, as those of step.tx are", async () => {
  const isolated = await createDatabase();
  await isolated.query(
    `alter database ${isolated.name} set default_transaction_isolation = 'repeatable read'`,
  );
  const shows = workflow({
    name: "shows",
    run: ({ step }) =>
      step.tx("level", async (tx) => {
        const { rows } = await tx.query("show transaction_isolation");
        return rows;
      }),
  });
  const url = new URL(isolated.url);
  url.searchParams.set("options", "-c statement_timeout=77s");
  await using client = createWorkflowClient({ url: url.href });
  const worker = createWorker({ url: url.href, workflows: [shows], localStarts: false });
  atFileEnd(() => worker.stop());
  await client.queues.create("ledger", { fifo: true });
  await client.queues.sendFifo("ledger", "entry", { groupId: "a" });
  expect(await client.queues.receive("ledger")).toMatchObject([{ body: "entry" }]);
  const run = await client.start(shows, undefined);
  expect(await run.result({ timeout: "60s" })).toEqual([
    { transaction_isolation: "repeatable read" },
  ]);
});

it("reads through a cursor wait for a connection, as other calls do", async () => {
  const role = `reader_${randomBytes(6).toString("hex")}`;
  await database.query(`create role ${role} login password 'secret' in role oxbow_admin`);
  atFileEnd(async () => {
    await database.query(`drop owned by ${role}`);
    await database.query(`drop role ${role}`);
  });
  const url = new URL(database.url);
  url.username = role;
  url.password = "secret";
  const counted = await countStatements(url.href);
  await using client = createWorkflowClient({ url: counted.url, listen: false });
  await client.start("pays");
  const reader = client.runs.export();
  await reader.next();
  await database.query(`alter role ${role} connection limit 1`);
  counted.take();

  const listed = client.queues.list();
  const second = client.runs.export();
  const read = second.next();
  let attempts = 0;
  await eventually(() => (attempts += counted.take().connections), atLeast(6));
  await reader.return();

  expect(await read).toMatchObject({ done: false });
  await second.return();
  expect(await listed).toEqual([]);
});
