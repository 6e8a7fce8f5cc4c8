/** Workers and consumers that start while the database can't answer work afterwards; what is the user's fault ends them. */
import { type Consumer, createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { startServer } from "@oxbow/server";
import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { uniqueQueueName } from "../helpers/queues.ts";
import { prepareToRaise, raiseOnInsert } from "../helpers/raised-codes.ts";
import { openTransaction } from "../helpers/session.ts";
import { silent } from "../helpers/silent-logger.ts";

const CONSUMERS = 5;

/** A login of the test's own. */
async function login(database: TestDatabase, name: string, attributes = ""): Promise<string> {
  const role = `${name}_${database.name}`.slice(0, 60);
  await database.query(`create role "${role}" login ${attributes}`);
  atFileEnd(() => database.query(`drop role "${role}"`));
  const url = new URL(database.url);
  url.username = role;
  return url.href;
}

describe.each(["a direct connection", "a server"])("over %s", (way) => {
  let database: TestDatabase;
  let url: string;

  beforeAll(async () => {
    database = await createDatabase();
    url = await login(database, "hasty", "in role oxbow_admin");
    await database.query(`alter role "${new URL(url).username}" set statement_timeout = '500ms'`);
    if (way === "a direct connection") return;
    const server = await startServer({ url, port: 0, sweepIntervalMs: 0 });
    url = server.url;
    atFileEnd(() => server.stop());
  });

  it("a worker and consumers that start while a migration holds the tables work afterwards", async () => {
    const greet = workflow({
      name: "greet",
      flowControl: { concurrency: 10 },
      run: (ctx) => ctx.step.run("greet", () => "hello"),
    });
    const queue = uniqueQueueName();
    await database.query("select queue.create_queue($1)", [queue]);
    const migration = await openTransaction(database);
    const tables = await database.query(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'queue'",
    );
    await migration.query(
      `lock table ${tables.map(({ name }) => String(name)).join(", ")} in access exclusive mode`,
    );

    await using client = createWorkflowClient({ url });
    await using worker = createWorker({ url, workflows: [greet], logger: silent });
    const bodies: unknown[] = [];
    const consumers: Consumer[] = Array.from({ length: CONSUMERS }, () =>
      client.queues.consume(queue, ({ body }) => void bodies.push(body), { logger: silent }),
    );
    const ended: unknown[] = [];
    for (const { finished } of [worker, ...consumers])
      finished.catch((error: unknown) => void ended.push(error));
    const troubles = [worker, ...consumers].map((): unknown[] => []);
    worker.events.on("trouble", ({ error }) => void troubles[0]?.push(error));
    for (const [index, { events }] of consumers.entries())
      events.on("trouble", ({ error }) => void troubles[index + 1]?.push(error));
    await eventually(
      () => troubles,
      (all) => all.every(({ length }) => length >= 2) || ended.length > 0,
    );
    expect(ended).toEqual([]);
    expect(troubles.flat().map(String).join()).toMatch(/statement timeout|57014/);

    await migration.query("rollback");
    // Its statements may take as long as a busy machine needs.
    await using patient = createWorkflowClient({ url: database.url });
    const run = await patient.start(greet, undefined);
    expect(await run.result({ timeout: "60s" })).toBe("hello");
    await patient.queues.send(queue, 1);
    await eventually(() => bodies.length, 1);
    await Promise.all(consumers.map((consumer) => consumer.stop()));
  });
});

describe("a worker that starts", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
    await raiseOnInsert(database, "queue.workflow_version", "workflow_name");
  });

  it.each("40001 53100 55000 55P03 57014 F0000 P0001 XX000".split(" "))(
    "registers after %s",
    async (code) => {
      const name = await prepareToRaise(database, code, 2);
      const raising = workflow({ name, run: () => Promise.resolve(code) });
      await using worker = createWorker({
        url: database.url,
        workflows: [raising],
        logger: silent,
      });
      const client = createWorkflowClient({ url: database.url });
      const run = await client.start(raising, undefined);
      expect(await run.result({ timeout: "60s" })).toBe(code);
      await client.close();
      await worker.stop();
    },
  );

  it.each(["22023", "42703", "42883"])("ends by %s, which does not pass", async (code) => {
    const name = await prepareToRaise(database, code, 100);
    const raising = workflow({ name, run: () => Promise.resolve(code) });
    const worker = createWorker({ url: database.url, workflows: [raising], logger: silent });
    await expect(worker.finished).rejects.toMatchObject({ code });
  });

  it("ends without a privilege, as consumers do", async () => {
    const url = await login(database, "stranger");
    await using client = createWorkflowClient({ url });
    const greet = workflow({ name: "greet", run: () => Promise.resolve() });
    const worker = createWorker({ url, workflows: [greet], logger: silent });
    await expect(worker.finished).rejects.toThrow("permission denied");
    await database.query("select queue.create_queue('closed')");
    const consumer = client.queues.consume("closed", () => {}, { logger: silent });
    await expect(consumer.finished).rejects.toThrow("permission denied");
  });
});
