import { beforeAll, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});

const lag = () =>
  database.query<{ name: string; lag_seconds: number }>(
    "select name, lag_seconds from queue.workflow_lag()",
  );

it("tells nothing where no run was ever started", async () => {
  expect(await lag()).toEqual([]);
});

it("tells how long the oldest ready run of each workflow has waited, the longest first", async () => {
  await database.query("select queue.workflow_start('lag-first')");
  await database.query("select queue.workflow_start('lag-second', version => 7)");
  await database.query("select queue.workflow_start('lag-later', delay_seconds => 60)");
  const found = await lag();
  expect(found.map(({ name }) => name)).toEqual(["lag-first", "lag-second"]);
  expect(found[0]?.lag_seconds).toBeGreaterThan(found[1]?.lag_seconds ?? Infinity);
});

it("leaves out what a worker has taken", async () => {
  await database.query("select queue.workflow_receive(array['lag-first'])");
  expect((await lag()).map(({ name }) => name)).toEqual(["lag-second"]);
});
