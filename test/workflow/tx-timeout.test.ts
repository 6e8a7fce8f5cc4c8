import { setTimeout as delay } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import type { TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { Latch } from "../helpers/latch.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const waitingForLocks = (database: TestDatabase): Promise<Record<string, unknown>[]> =>
  database.query(
    `select query from pg_stat_activity
     where datname = current_database() and application_name = 'oxbow' and wait_event_type = 'Lock'`,
  );

it("an attempt of step.tx that has timed out can write no more, not even in the transaction of the next one", async () => {
  const bench = await setupWorkflows();
  await bench.database.query("create table written (attempt integer)");
  let attempts = 0;
  const next = new Latch();
  let lateWrite: Promise<unknown> = Promise.resolve();
  const late = workflow({
    name: "writes-late",
    retry: { attempts: 3, backoff: { kind: "fixed", base: 1 } },
    run: (ctx) =>
      ctx.step.tx(
        "write",
        async (tx) => {
          const attempt = ++attempts;
          const write = () => tx.query("insert into written values ($1)", [attempt]);
          if (attempt === 1) {
            lateWrite = next.opened.then(write).catch((error: unknown) => error);
            await delay(10_000, undefined, { ref: false });
          } else {
            await write();
            next.open();
            await lateWrite;
          }
          return attempt;
        },
        { timeout: "500ms" },
      ),
  });
  bench.serve([late]);
  const run = await bench.client.start(late, undefined);
  expect(await run.result({ timeout: "60s" })).toBe(2);
  expect(await lateWrite).toMatchObject({ code: "TRANSACTION_OVER" });
  expect(await bench.database.query("select attempt from written")).toEqual([{ attempt: 2 }]);
});

it("an attempt of step.tx that has timed out leaves nothing running in the database, and its locks to the next one", async () => {
  const bench = await setupWorkflows();
  await bench.database.query("create table account (id integer primary key, balance integer)");
  await bench.database.query("insert into account values (1, 10), (2, 10)");
  const locker = await bench.database.connect();
  await locker.query("begin; select from account where id = 2 for update");
  let stillWaiting: unknown[] | undefined;
  let aborted: boolean[] = [];
  const signals: AbortSignal[] = [];
  const transfer = workflow({
    name: "transfers",
    retry: { attempts: 2, backoff: { kind: "fixed", base: 1 } },
    run: (ctx) =>
      ctx.step.tx(
        "transfer",
        async (tx, signal) => {
          signals.push(signal);
          if (signals.length === 2) {
            aborted = signals.map((each) => each.aborted);
            stillWaiting = await waitingForLocks(bench.database);
            await locker.query("rollback");
          }
          await tx.query("update account set balance = balance - 1 where id = 1");
          await tx.query("update account set balance = balance + 1 where id = 2");
        },
        { timeout: "1s" },
      ),
  });
  bench.serve([transfer]);
  const run = await bench.client.start(transfer, undefined);
  await run.result({ timeout: "60s" });
  expect(aborted).toEqual([true, false]);
  expect(stillWaiting).toEqual([]);
  expect(await bench.database.query("select balance from account order by id")).toEqual([
    { balance: 9 },
    { balance: 11 },
  ]);
});

it("a run that is cancelled in the middle of step.tx leaves nothing running in the database", async () => {
  const bench = await setupWorkflows();
  await bench.database.query("create table held (id integer primary key)");
  await bench.database.query("insert into held values (1)");
  const locker = await bench.database.connect();
  await locker.query("begin; select from held for update");
  const stuck = workflow({
    name: "stuck",
    run: (ctx) => ctx.step.tx("wait", (tx) => tx.query("update held set id = 2")),
  });
  bench.serve([stuck]);
  const run = await bench.client.start(stuck, undefined);
  await eventually(() => waitingForLocks(bench.database), { length: 1 });
  await run.cancel();
  await eventually(() => waitingForLocks(bench.database), []);
  await locker.query("rollback");
  expect(await bench.database.query("select id from held")).toEqual([{ id: 1 }]);
  expect(await bench.violations()).toEqual([]);
});
