import { workflow } from "@oxbow/sdk/runtime";
import { randomUUID } from "node:crypto";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { isOverShards } from "../helpers/transport.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";
import { Latch } from "../helpers/latch.ts";

let bench: WorkflowBench;

beforeAll(async () => {
  bench = await setupWorkflows();
  await bench.database.query("create table paid (run_id bigint, n integer, attempt integer)");
});

const paid = (runId: string) =>
  bench.database.query("select n from paid where run_id = $1 order by n", [runId]);

it("step.tx commits its SQL and its journal row together", async () => {
  const pays = workflow({
    name: "pays",
    run: async (ctx, n: number) => {
      const inserted = await ctx.step.tx("pay", async (tx) => {
        const { rows } = await tx.query("insert into paid values ($1, $2) returning n", [
          ctx.runId,
          n,
        ]);
        return Number(rows[0]?.["n"]);
      });
      await ctx.step.sleep("nap", 5);
      return inserted;
    },
  });
  bench.serve([pays]);
  const run = await bench.client.start(pays, 7);
  expect(await run.result({ timeout: "60s" })).toBe(7);
  expect(await paid(run.runId)).toEqual([{ n: 7 }]);
  expect(await bench.client.runs.steps(run.runId)).toMatchObject([
    { name: "pay", kind: "tx", output: 7, position: 1 },
    { name: "nap", position: 2 },
  ]);
  expect(await bench.violations()).toEqual([]);
});

it("rolls back what an attempt did that threw, and tries again", async () => {
  let attempts = 0;
  const flaky = workflow({
    name: "pays-flaky",
    retry: { attempts: 3, backoff: { kind: "fixed", base: 1 } },
    run: (ctx) =>
      ctx.step.tx("pay", async (tx) => {
        attempts += 1;
        await tx.query("insert into paid values ($1, $2)", [ctx.runId, attempts]);
        if (attempts < 3) throw new Error("not yet");
      }),
  });
  bench.serve([flaky]);
  const run = await bench.client.start(flaky, undefined);
  await run.result({ timeout: "60s" });
  expect(await paid(run.runId)).toEqual([{ n: 3 }]);
});

it("fails the step where COMMIT fails, and leaves nothing", async () => {
  await bench.database.query(
    "create table once (n integer unique deferrable initially deferred); insert into once values (1)",
  );
  const late = workflow({
    name: "pays-late",
    retry: { attempts: 2, backoff: { kind: "fixed", base: 1 } },
    run: (ctx) => ctx.step.tx("pay", (tx) => tx.query("insert into once values (1)").then(() => 1)),
  });
  bench.serve([late]);
  const run = await bench.client.start(late, undefined);
  await expect(run.result({ timeout: "60s" })).rejects.toThrow(/once_n_key/);
  expect(await bench.database.query("select from once")).toHaveLength(1);
});

// Roles belong to the cluster, which shards of a test share.
it.skipIf(isOverShards).each([
  ["for the transaction", "set local role"],
  ["for the session", "SET ROLE"],
])("journals by the role of the worker after a callback has set another %s", async (_, sets) => {
  const { database, client, violations } = bench;
  const role = `tenant_${randomUUID().slice(0, 8)}`;
  await database.query(`create role ${role}`);
  await database.query(
    `create table ${role} (by text); grant insert on ${role} to ${role}; create function ${role}_late() returns trigger language plpgsql as $$ begin insert into ${role} values ('at commit: ' || current_user); return null; end $$; create constraint trigger late after insert on ${role} deferrable initially deferred for each row when (new.by not like 'at commit%') execute function ${role}_late()`,
  );
  onTestFinished(async () => {
    await database.query(`drop table ${role}; drop function ${role}_late(); drop role ${role}`);
  });
  let calls = 0;
  const acts = workflow({
    name: `acts-${role}`.replaceAll("_", "-"),
    run: async (ctx) => {
      const during = await ctx.step.tx("act", async (tx) => {
        calls += 1;
        await tx.query(`${sets} ${role}`);
        await tx.query(`insert into ${role} values (current_user)`);
        return 1;
      });
      const after = await ctx.step.tx("look", async (tx) => {
        const { rows } = await tx.query("select current_user as name");
        return rows[0]?.["name"] !== role;
      });
      return [during, after];
    },
  });
  bench.serve([acts]);
  const run = await client.start(acts, undefined);
  expect(await run.result({ timeout: "60s" })).toEqual([1, true]);
  expect(calls).toBe(1);
  // What the commit calls has the role of the callback.
  expect(await database.query(`select by from ${role} order by by`)).toEqual([
    { by: `at commit: ${role}` },
    { by: role },
  ]);
  expect(await violations()).toEqual([]);
});

it("keeps its place among other steps, many at a time", async () => {
  const mixed = workflow({
    name: "pays-mixed",
    run: async (ctx) => {
      const all = Array.from({ length: 30 }, (_, n) =>
        n % 2 === 0
          ? ctx.step.run(`run-${n}`, () => n)
          : ctx.step.tx(`tx-${n}`, async (tx) => {
              await tx.query("insert into paid values ($1, $2)", [ctx.runId, n]);
              return n;
            }),
      );
      const sum = (await Promise.all(all)).reduce((total, n) => total + n, 0);
      await ctx.step.sleep("nap", 5);
      return sum;
    },
  });
  bench.serve([mixed]);
  const run = await bench.client.start(mixed, undefined);
  expect(await run.result({ timeout: "60s" })).toBe(435);
  expect(await paid(run.runId)).toHaveLength(15);
  const positions = (await bench.client.runs.steps(run.runId)).map(({ position }) => position);
  expect(positions).toEqual(Array.from({ length: 31 }, (_, n) => n + 1));
  expect(await bench.violations()).toEqual([]);
});

it("runs once where the connection is lost at COMMIT", async () => {
  await bench.database.query(
    `create sequence commits;
     create table lost (run_id bigint);
     create function cut_off() returns trigger language plpgsql as $$
     begin
       if nextval('commits') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if;
       return null;
     end $$;
     create constraint trigger cut_off after insert on lost deferrable initially deferred
       for each row execute function cut_off()`,
  );
  let calls = 0;
  const cut = workflow({
    name: "pays-cut-off",
    retry: { attempts: 3, backoff: { kind: "fixed", base: 1 } },
    run: (ctx) =>
      ctx.step.tx("pay", async (tx) => {
        calls += 1;
        await tx.query("insert into lost values ($1)", [ctx.runId]);
      }),
  });
  bench.serve([cut]);
  const run = await bench.client.start(cut, undefined);
  await run.result({ timeout: "60s" });
  expect(calls).toBe(2);
  expect(await bench.database.query("select from lost")).toHaveLength(1);
  expect(await bench.violations()).toEqual([]);
});

it("is refused once the run was cancelled: its SQL is rolled back", async () => {
  const called = new Latch();
  const gate = new Latch();
  const held = workflow({
    name: "pays-held",
    run: (ctx) =>
      ctx.step.tx("pay", async (tx) => {
        await tx.query("insert into paid values ($1, 1)", [ctx.runId]);
        called.open();
        await gate.opened;
      }),
  });
  const worker = bench.serve([held]);
  const run = await bench.client.start(held, undefined);
  await called.opened;
  await run.cancel();
  gate.open();
  await worker.stop();
  expect(await paid(run.runId)).toEqual([]);
});

it("keeps what the body had set before, although the worker stops after it", async () => {
  const hold = new Latch();
  const pays = workflow({
    name: "pays-with-a-phase",
    run: async (ctx) => {
      ctx.set("phase", "charging");
      await ctx.step.tx("charge", () => 1);
      await ctx.step.run("next", () => hold.opened);
    },
  });
  const worker = bench.serve([pays], { stopTimeout: "1ms" });
  const run = await bench.client.start(pays, undefined);
  await eventually(
    () => bench.client.runs.steps(run.runId),
    (steps) => steps.length === 1,
  );
  expect(await bench.client.runs.state(run.runId)).toEqual({ phase: "charging" });
  await worker.stop();
  hold.open();
  bench.serve([pays]);
  await run.result({ timeout: "60s" });
  expect(await bench.client.runs.state(run.runId)).toEqual({ phase: "charging" });
});
