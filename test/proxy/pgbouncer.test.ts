/** Everything through a proxy that gives each transaction another session: without LISTEN, without prepared statements. */
import { setTimeout as pause } from "node:timers/promises";
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { numbers } from "../helpers/client-queues.ts";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { atLeast, eventually, including, moreThan } from "../helpers/eventually.ts";
import { isPgBouncerInstalled, type PgBouncer, startPgBouncer } from "../helpers/pgbouncer.ts";
import { only, uniqueQueueName } from "../helpers/queues.ts";
import { silent } from "../helpers/silent-logger.ts";

const approval = workflow({
  name: "approval",
  run: async (ctx, input: { n: number }) => {
    const doubled = await ctx.step.run("double", () => input.n * 2);
    await ctx.step.sleep("pause", 50);
    const answer = (await ctx.step.waitForEvent("answer", { timeout: "1m" })) as { ok: boolean };
    const [a, b] = await Promise.all([
      ctx.step.run("a", () => doubled + 1),
      ctx.step.run("b", () => pause(5).then(() => doubled + 2)),
    ]);
    return { a, b, ok: answer.ok };
  },
});

let database: TestDatabase;
let proxy: PgBouncer;

const leftOut = isPgBouncerInstalled ? "" : " (left out: `apt-get install pgbouncer` runs it)";

describe.runIf(isPgBouncerInstalled)(`behind PgBouncer, pooling by transaction${leftOut}`, () => {
  beforeAll(async () => {
    database = await createDatabase();
    proxy = await startPgBouncer(database.url);
  });

  const sessions = () =>
    database.query<{ application: string; locks: number }>(
      `select a.application_name as application,
         (select count(*)::int from pg_locks as l where l.pid = a.pid and l.locktype = 'advisory') as locks
       from pg_stat_activity as a
       where a.datname = current_database() and a.application_name like 'oxbow%'`,
    );

  it("workflows run to their end, with sleeps and signals", async () => {
    const options = { url: proxy.url, listen: false };
    await using client = createWorkflowClient(options);
    const workers = [1, 2].map(() =>
      createWorker({ ...options, workflows: [approval], concurrency: 5 }),
    );
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, n) => client.start(approval, { n })),
    );
    await Promise.all(runs.map((run) => client.signal(run.runId, "answer", { ok: true })));
    const results = await Promise.all(runs.map((run) => run.result({ timeout: "60s" })));
    await Promise.all(workers.map((worker) => worker.stop()));
    expect(results).toEqual(runs.map((_, n) => ({ a: n * 2 + 1, b: n * 2 + 2, ok: true })));
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("queues are consumed, standard ones and FIFO, by many clients that share sessions", async () => {
    const clients = Array.from({ length: 4 }, () =>
      createWorkflowClient({ url: proxy.url, listen: false }),
    );
    const [first] = clients;
    if (first === undefined) throw new Error("There are four.");
    const mail = uniqueQueueName();
    const ledger = uniqueQueueName();
    await first.queues.create(mail);
    await first.queues.create(ledger, { fifo: true });
    const mails: number[] = [];
    const entries: number[] = [];
    const consumers = clients.flatMap(({ queues }) => [
      queues.consume<number>(mail, ({ body }) => mails.push(body)),
      queues.consume<number>(ledger, ({ body }) => entries.push(body)),
    ]);
    await Promise.all([
      ...Array.from({ length: 200 }, (_, n) => clients[n % 4]?.queues.send(mail, n)),
      (async () => {
        for (let n = 0; n < 30; n += 1) await first.queues.sendFifo(ledger, n, { groupId: "a" });
      })(),
    ]);
    await eventually(() => mails.length + entries.length, atLeast(230));
    expect(mails.toSorted((a, b) => a - b)).toEqual(numbers(200));
    expect(entries).toEqual(numbers(30));
    await first.queues.send(mail, 1000, { delay: 200 });
    await eventually(() => mails, including(1000));
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    await Promise.all(clients.map((client) => client.close()));
    // Nothing was left on sessions that others use next.
    expect((await sessions()).map(({ locks }) => locks).every((locks) => locks === 0)).toBe(true);
    expect((await sessions()).length).toBeLessThanOrEqual(3);
  });

  it("a client without the setting notices by itself, and warns once", async () => {
    const warnings: string[] = [];
    const record = (warning: Error): void => void warnings.push(warning.message);
    process.on("warning", record);
    await using client = createWorkflowClient({ url: proxy.url });
    const name = uniqueQueueName();
    await client.queues.create(name);
    const receiving = client.queues.receive(name, { wait: "20s" });
    await client.queues.send(name, 1);
    expect(await receiving).toHaveLength(1);
    // On a busy machine, the statement of a receive may take as long as its wait.
    await eventually(
      async () => {
        await client.queues.receive(name, { wait: "1s" });
        return warnings;
      },
      (all) => all.some((message) => message.includes("`listenUrl`")),
    );
    await Promise.all(Array.from({ length: 3 }, () => client.queues.receive(name, { wait: "1s" })));
    process.off("warning", record);
    expect(warnings.filter((message) => message.includes("listenUrl"))).toHaveLength(1);
    expect((await sessions()).filter(({ application }) => application.endsWith("listen"))).toEqual(
      [],
    );
  });

  it("a client with a way around the proxy is woken through it", async () => {
    await using client = createWorkflowClient({ url: proxy.url, listenUrl: database.url });
    const name = uniqueQueueName();
    await client.queues.create(name);
    const receiving = client.queues.receive(name, { wait: "20s" });
    await eventually(
      () =>
        database.query<{ awaited: boolean }>("select queue._is_awaited($1) as awaited", [
          `queue_${name}`,
        ]),
      (rows) => only(rows).awaited,
    );
    await client.queues.send(name, 1);
    expect(await receiving).toHaveLength(1);
  });

  it("a proxy that is killed and started again is only a pause", async () => {
    const options = { url: proxy.url, listen: false };
    await using client = createWorkflowClient(options);
    const worker = createWorker({
      ...options,
      workflows: [approval],
      lease: "1s",
      logger: silent,
    });
    const name = uniqueQueueName();
    await client.queues.create(name, { fifo: true });
    for (let n = 0; n < 40; n += 1) await client.queues.sendFifo(name, n, { groupId: "a" });
    const order: number[] = [];
    client.queues.consume<number>(
      name,
      async ({ body }) => {
        await pause(5);
        if (!order.includes(body)) order.push(body);
      },
      { visibilityTimeout: "1s", logger: silent },
    );
    const runs = await Promise.all(
      Array.from({ length: 10 }, (_, n) => client.start(approval, { n })),
    );
    await eventually(() => order.length, moreThan(5));
    await proxy.kill();
    await pause(200);
    await proxy.start();
    await Promise.all(runs.map((run) => client.signal(run.runId, "answer", { ok: true })));
    await eventually(() => order.length, 40);
    expect(order).toEqual(numbers(40));
    for (const [n, run] of runs.entries())
      expect(await run.result({ timeout: "60s" })).toMatchObject({ a: n * 2 + 1 });
    await worker.stop();
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });
});

it("statements that a session has forgotten are asked again, and no longer prepared by name", async () => {
  const direct = await createDatabase();
  await using client = createWorkflowClient({ url: direct.url, maxConnections: 1 });
  await client.queues.create("forgetful");
  // A proxy that isn't noticed has the same effect: the session has lost its settings.
  await direct.query(`
    create function forget() returns trigger language plpgsql as $$
    begin
      deallocate all;
      return null;
    end $$;
    create trigger forget after insert on queue.q_forgetful execute function forget();`);
  for (let n = 0; n < 5; n += 1) await client.queues.send("forgetful", n);
  expect(await client.queues.receive("forgetful", { max: 10 })).toHaveLength(5);
});
