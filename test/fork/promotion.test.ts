/** A server that was promoted, or recovered from an archive, writes another timeline of the log. */
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "@oxbow/sdk/internal/server";
import { startPostgres } from "@oxbow/sdk/testing";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { oxbowOf } from "../helpers/command.ts";
import { OLDEST_POSTGRES } from "../helpers/debian-postgres.ts";
import { makeFolder } from "../helpers/forks.ts";

/** Makes the cluster a standby, and promotes it: all that a failover is for the database. */
async function promote(dataDir: string): Promise<(database: string) => string> {
  const signal = join(dataDir, "standby.signal");
  writeFileSync(signal, "");
  const { uid, gid } = statSync(dataDir);
  chownSync(signal, uid, gid);
  const cluster = await startPostgres({ dataDir, ...OLDEST_POSTGRES });
  onTestFinished(() => cluster.stop({ mode: "immediate" }));
  const client = new pg.Client(cluster.url);
  await client.connect();
  await client.query("select pg_promote()");
  await client.end();
  return (database) => cluster.urlOf(database);
}

/** For longer than the test takes: a lease that ends would make its run a suspect, which is received apart. */
const RECEIVED = "select * from queue.workflow_receive(array['job'], lease_seconds => 3600)";

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

it("a promotion holds a database that is guarded against it, and no other one", async () => {
  const dataDir = join(makeFolder(), "data");
  const first = await startPostgres({ dataDir, ...OLDEST_POSTGRES });
  for (const name of ["guarded", "failed_over"]) {
    const url = await first.createDatabase(name);
    await migrate(url);
    await query(url, "select queue.workflow_start('job', '1')");
    expect(await query(url, RECEIVED)).toHaveLength(1);
    await query(url, "select queue.workflow_start('job', '2')");
  }
  const guard = await oxbowOf(first.urlOf("guarded"))("fork", "guard");
  expect(guard).toMatchObject({ code: 0, stdout: "Guarded." });
  expect(await query(first.urlOf("guarded"), RECEIVED)).toHaveLength(1);
  await query(first.urlOf("guarded"), "select queue.workflow_start('job', '3')");
  await first.stop();

  const urlOf = await promote(dataDir);
  const [guarded, other] = [urlOf("guarded"), urlOf("failed_over")];
  expect(await query(other, RECEIVED)).toHaveLength(1);
  expect(await query(guarded, RECEIVED)).toEqual([]);
  const state = "select state, origin, guarded from queue.incarnation()";
  expect(await query(other, state)).toMatchObject([{ state: "live", guarded: false }]);
  expect(await query(guarded, state)).toEqual([
    { state: "held", origin: "was promoted, or recovered from an archive", guarded: true },
  ]);

  const oxbow = oxbowOf(guarded);
  expect(await oxbow("fork", "guard", "--off")).toMatchObject({ code: 1 });
  expect(await oxbow("fork", "release", "--as", "live")).toMatchObject({ code: 0 });
  expect(
    await query(guarded, "select from queue.workflow_receive(array['job'], max_runs => 10)"),
  ).toHaveLength(3);
  expect(await query(guarded, state)).toMatchObject([{ state: "live", guarded: true }]);
  expect(await oxbow("fork", "status")).toMatchObject({
    stdout: expect.stringContaining("yes: held after a promotion") as unknown,
  });
  expect(await oxbow("fork", "guard", "--off")).toMatchObject({ code: 0 });
  expect(await query(guarded, state)).toMatchObject([{ state: "live", guarded: false }]);
});
