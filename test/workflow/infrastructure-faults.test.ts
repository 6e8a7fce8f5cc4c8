/** A fault of the database is never the outcome of a run. */
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { startServer } from "@oxbow/server";
import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually, moreThan } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { prepareToRaise, raiseOnInsert } from "../helpers/raised-codes.ts";

/**
 * Codes of connections, transactions, resources, locks, operators, the machine, and some that Oxbow knows nothing of.
 */
const CODES = (
  "08000 08003 08006 25006 25P03 25P04 40001 40P01 42501 42883 53000 53100 53200 53300 53400 " +
  "55000 55006 55P03 57014 57P01 57P02 57P03 57P04 57P05 58000 58030 58P01 F0000 HV000 P0001 " +
  "XX000 XX001 22008 23505"
).split(" ");
const CODES_OF_DATA = ["22003", "22021", "22P02", "22P05", "54000", "54001"];

describe.each(["a direct connection", "a server"])("over %s", (way) => {
  let database: TestDatabase;
  let client: WorkflowClient;
  let url: string;
  const calls = new Map<string, number>();
  const called = (step: string): void => void calls.set(step, (calls.get(step) ?? 0) + 1);

  const steps = workflow({
    name: "steps",
    retry: { attempts: 1 },
    run: async (ctx, name: string) => {
      const before = await ctx.step.run("before", () => 1);
      const value = await ctx.step.run(name, () => {
        called(name);
        return 2;
      });
      return before + value;
    },
  });

  beforeAll(async () => {
    database = await createDatabase();
    url = database.url;
    if (way === "a server") {
      const server = await startServer({ url, port: 0, sweepIntervalMs: 0 });
      atFileEnd(() => server.stop());
      url = server.url;
    }
    client = createWorkflowClient({ url });
    const worker = createWorker({ url, workflows: [steps] });
    worker.events.on("trouble", () => {});
    atFileEnd(async () => {
      await worker.stop();
      await client.close();
    });
    await raiseOnInsert(database, "queue.workflow_step", "step_name");
  });

  it.concurrent.each(CODES)(
    "a run survives %s at its journal, and calls nothing twice",
    async (code) => {
      const names = await Promise.all([1, 3].map((times) => prepareToRaise(database, code, times)));
      const runs = await Promise.all(names.map((name) => client.start(steps, name)));
      const results = await Promise.all(runs.map((run) => run.result({ timeout: "60s" })));
      expect(results).toEqual([3, 3]);
      expect(names.map((name) => calls.get(name))).toEqual([1, 1]);
    },
  );

  it.concurrent.each(CODES_OF_DATA)("a run fails by %s, which speaks of its data", async (code) => {
    const name = await prepareToRaise(database, code, 1_000);
    const run = await client.start(steps, name);
    await expect(run.result({ timeout: "60s" })).rejects.toMatchObject({ code: "RUN_FAILED" });
    expect(await client.runs.steps(run.runId)).toHaveLength(1);
  });

  it("gives a run back after a lease's time, uncounted, and never calls it poisoned", async () => {
    const slow = workflow({
      name: "slow",
      retry: { attempts: 1 },
      run: (ctx, name: string) => ctx.step.run(name, () => called(name)),
    });
    const name = await prepareToRaise(database, "53100", 60);
    await using worker = createWorker({ url, workflows: [slow], lease: "1s" });
    worker.events.on("trouble", () => {});
    let deliveries = 0;
    const attempts = new Set<number>();
    worker.events.on("runReceived", ({ attempt }) => {
      deliveries += 1;
      attempts.add(attempt);
    });
    const run = await client.start(slow, name);
    await run.result({ timeout: "120s" });
    // More than would make it a poisoned one.
    expect(deliveries).toBeGreaterThan(10);
    // Where the machine is slow, a lease ends before its delivery gets to the callback, which is then not called.
    expect(calls.get(name)).toBeLessThanOrEqual(deliveries);
    expect(Math.max(...attempts)).toBeLessThan(10);
  });

  it("a message that is published starts its run, or its publisher knows", async () => {
    const received = workflow({ name: "received", run: (_ctx, order: { id: string }) => order.id });
    await using worker = createWorker({ url, workflows: [received] });
    worker.events.on("trouble", () => {});
    await client.topics.subscribe("order.paid", { workflow: "received" });
    await raiseOnInsert(database, "queue.workflow_run", "input");
    const id = await prepareToRaise(database, "58030", 2);
    for (const _ of [1, 2]) {
      await expect(client.topics.publish("order.paid", { id })).rejects.toMatchObject({
        code: "58030",
      });
    }
    expect(await client.topics.publish("order.paid", { id })).toBe(1);
    await eventually(
      () =>
        database.query("select output from queue.workflow_run where workflow_name = 'received'"),
      (rows) => rows.length === 1 && rows[0]?.["output"] === id,
    );

    // Published by a run, in the transaction that journals its step.
    const publishing = workflow({
      name: "publishing",
      run: (ctx, order: { ref: string }) =>
        ctx.step.publish("publish", "order.paid", { id: order.ref.replace("asked", "raise") }),
    });
    await using publisher = createWorker({ url, workflows: [publishing] });
    publisher.events.on("trouble", () => {});
    const again = await prepareToRaise(database, "53100", 2);
    const run = await client.start(publishing, { ref: again.replace("raise", "asked") });
    await run.result({ timeout: "60s" });
    await eventually(
      () =>
        database.query("select output from queue.workflow_run where workflow_name = 'received'"),
      (rows) => rows.some(({ output }) => output === again),
    );
    expect(await database.query("select from queue.q___topic_dead_letters")).toEqual([]);
  });

  it("nothing is left wrong", async () => {
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });
});

describe("step.tx", () => {
  let database: TestDatabase;
  let client: WorkflowClient;
  const attempts: number[] = [];

  const pays = workflow({
    name: "pays",
    retry: { attempts: 1 },
    run: async (ctx, { name, swallows = false }: { name: string; swallows?: boolean }) =>
      ctx.step.tx("pay", async (tx) => {
        const paid = tx.query("insert into paid values ($1, $2)", [ctx.runId, name]);
        await (swallows ? paid.catch(() => {}) : paid);
        return name;
      }),
  });
  const journals = workflow({
    name: "journals",
    retry: { attempts: 1 },
    run: async (ctx, name: string) =>
      ctx.step.tx(name, async (tx) => {
        await tx.query("insert into paid values ($1, 'journaled')", [ctx.runId]);
        return name;
      }),
  });

  beforeAll(async () => {
    database = await createDatabase();
    await database.query("create table paid (run_id bigint, name text)");
    await raiseOnInsert(database, "paid", "name");
    await raiseOnInsert(database, "queue.workflow_step", "step_name");
    client = createWorkflowClient({ url: database.url });
    const worker = createWorker({ url: database.url, workflows: [pays, journals] });
    worker.events.on("trouble", () => {});
    worker.events.on("stepStarted", ({ attempt }) => void attempts.push(attempt));
    atFileEnd(async () => {
      await worker.stop();
      await client.close();
    });
  });

  it.concurrent.each(
    "08006 25006 40001 40P01 53000 53100 53200 53300 55P03 57014 57P01 57P05 58030".split(" "),
  )("loses no attempt to %s", async (code) => {
    const name = await prepareToRaise(database, code, 3);
    const run = await client.start(pays, { name });
    expect(await run.result({ timeout: "60s" })).toBe(name);
    expect(await database.query("select name from paid where run_id = $1", [run.runId])).toEqual([
      { name },
    ]);
  });

  it("loses no message where the callback hides what broke its transaction", async () => {
    const name = await prepareToRaise(database, "53100", 4);
    const run = await client.start(pays, { name, swallows: true });
    expect(await run.result({ timeout: "60s" })).toBe(name);
    expect(await database.query("select from paid where run_id = $1", [run.runId])).toHaveLength(1);
  });

  it.concurrent.each(["P0001", "23505", "22012", "42P01"])(
    "fails by %s, which is the callback's",
    async (code) => {
      const name = await prepareToRaise(database, code, 1);
      const run = await client.start(pays, { name });
      await expect(run.result({ timeout: "60s" })).rejects.toThrow("asked for");
    },
  );

  it.concurrent.each(["53100", "57014", "25006", "P0001", "XX000"])(
    "loses no attempt to %s at its journal",
    async (code) => {
      const name = await prepareToRaise(database, code, 5);
      const run = await client.start(journals, name);
      expect(await run.result({ timeout: "60s" })).toBe(name);
      expect(await database.query("select from paid where run_id = $1", [run.runId])).toHaveLength(
        1,
      );
    },
  );

  it("called every callback as a first attempt, and left nothing wrong", async () => {
    expect(new Set(attempts)).toEqual(new Set([1]));
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("loses no attempt while the database has no connection to spare", async () => {
    const role = `pays_${database.name}`.slice(0, 60);
    await database.query(
      `create role "${role}" login connection limit 0; grant oxbow_admin to "${role}"`,
    );
    const url = new URL(database.url);
    url.username = role;
    let calls = 0;
    const connects = workflow({
      name: "connects",
      retry: { attempts: 1 },
      run: async (ctx) => {
        await ctx.step.run("limit", async () => {
          await database.query(`alter role "${role}" connection limit 1`);
        });
        return ctx.step.tx("pay", async (tx) => {
          calls += 1;
          await tx.query("select 1", []);
          return "paid";
        });
      },
    });
    await database.query(`alter role "${role}" connection limit 20`);
    const worker = createWorker({ url: url.href, workflows: [connects] });
    const troubles: string[] = [];
    worker.events.on("trouble", ({ error }) => void troubles.push(String(error)));
    const run = await client.start(connects, undefined);
    await eventually(
      () => troubles.filter((trouble) => trouble.includes("too many connections")).length,
      moreThan(3),
    );
    expect(calls).toBe(0);
    await database.query(`alter role "${role}" connection limit 20`);
    expect(await run.result({ timeout: "60s" })).toBe("paid");
    await worker.stop();
    await database.query(`drop owned by "${role}"; drop role "${role}"`);
  });
});
