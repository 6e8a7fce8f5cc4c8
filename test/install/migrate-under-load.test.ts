/** `oxbow migrate` over a release that is in use: it changes tables that transactions lock in any order. */
import { setTimeout as delay } from "node:timers/promises";
import { migrate } from "@oxbow/sdk/internal/server";
import type pg from "pg";
import { expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { installRelease } from "../helpers/releases.ts";

/** A database as `oxbow migrate` of 0.1.0 left it. */
const original = await createDatabase({ empty: true });
await installRelease(original, "0.1.0");
await original.query("select queue.workflow_start('busy', '1'); select queue.create_queue('jobs')");

async function installed(): Promise<TestDatabase> {
  const database = await createDatabase({ copyOf: original });
  // Longer than the usual second, and than the short one of the tests' server: each attempt to lock all tables lasts up to
  // half of it, and a machine that stalls for the other half looks for deadlocks in the middle of an attempt.
  await database.query(`alter database ${database.name} set deadlock_timeout = '3s'`);
  return database;
}

it("gives way to a transaction that could deadlock with it, and continues when that has ended", async () => {
  const database = await installed();
  const transaction = await database.connect();
  await transaction.query("begin");
  await transaction.query("lock table queue.workflow_run in row exclusive mode");
  const migrating = migrate(database.url);
  await eventually(
    () =>
      database.query(
        `select from pg_locks
         where relation = 'queue.workflow_run'::regclass and mode = 'AccessExclusiveLock'`,
      ),
    isNotEmpty,
  );
  // The other way round: an attempt of the migration may have these tables, and wait for the one that is locked here. It
  // alters types of this call, too.
  await transaction.query("select queue.send('jobs', '1')");
  await transaction.query("commit");
  expect(await migrating).toMatchObject({ from: "0.1.0" });
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});

/**
 * Calls until it is stopped; returns what failed, with what it waited for. It rests after each call for as long as that
 * took: of six clients that never rest, on a busy machine, one is always between two tables.
 */
async function load(client: pg.Client, isOver: () => boolean): Promise<string[]> {
  const failures: string[] = [];
  while (!isOver()) {
    const calls = [
      "select queue.workflow_start('busy', '1')",
      "select queue.send('jobs', '1')",
      "begin; select queue.send('jobs', '1'); select queue.workflow_start('busy', '1'); commit",
      "begin; select queue.workflow_start('busy', '1'); select queue.send('jobs', '1'); commit",
      "select queue.delete_batch('jobs', array(select receipt from queue.receive('jobs', 5)))",
    ];
    for (const call of calls) {
      const calledAt = performance.now();
      try {
        await client.query(call);
      } catch (error) {
        const { code, message, detail } = error as pg.DatabaseError;
        failures.push(`${code} ${message} ${detail}`);
        await client.query("rollback");
      }
      await delay(performance.now() - calledAt);
    }
  }
  return failures;
}

/** On a machine that is busy with something else, a minute may not have the instant in which all tables are free. */
async function migrateUnderLoad(url: string, attempts = 4): Promise<unknown> {
  try {
    return await migrate(url);
  } catch (error) {
    if (attempts === 1 || (error as pg.DatabaseError).code !== "55P03") throw error;
    return migrateUnderLoad(url, attempts - 1);
  }
}

it("never ends in a deadlock under load, and ends no call by one", async () => {
  for (let round = 0; round < 5; round += 1) {
    const database = await installed();
    const clients = await Promise.all(Array.from({ length: 6 }, () => database.connect()));
    let isOver = false;
    const loads = clients.map((client) => load(client, () => isOver));
    const migrating = migrateUnderLoad(database.url).finally(() => {
      isOver = true;
    });
    const [failures] = await Promise.all([Promise.all(loads), migrating]);
    expect(failures.flat().filter((failure) => failure.startsWith("40P01"))).toEqual([]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
    await Promise.all(clients.map((client) => client.end()));
  }
});
