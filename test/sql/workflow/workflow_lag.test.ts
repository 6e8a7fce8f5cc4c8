import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";

const database = await createDatabase();

const lag = () =>
  database.query<{ name: string; lag_seconds: number }>(
    "select name, lag_seconds from queue.workflow_lag()",
  );

it("returns nothing if no run was ever started", async () => {
  expect(await lag()).toEqual([]);
});

it("returns how long the oldest ready run of each workflow has waited, the longest first", async () => {
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

const limit = (workflow: string) =>
  database.query("select queue.workflow_set_flow_control($1, $2)", [
    workflow,
    JSON.stringify({ key: "account", concurrency: 5, concurrency_per_key: 1 }),
  ]);

it("reports how long a run has waited that flow control would let begin", async () => {
  await limit("lag-keyed");
  await database.query(
    `select queue.workflow_start_batch('lag-keyed', array['{"account": 1}', '{"account": 2}']::jsonb[])`,
  );
  await database.query("select queue.workflow_receive(array['lag-keyed'])");
  const keyed = (await lag()).find(({ name }) => name === "lag-keyed");
  expect(keyed?.lag_seconds).toBeGreaterThan(0);
  expect(keyed?.lag_seconds).toBeLessThan(600);
});

it("reports no run, and a finite time to look again, when a run with flow control has ended", async () => {
  await limit("lag-over");
  const [started] = await database.query<{ run_id: string }>(
    `select run_id from queue.workflow_start('lag-over', '{"account": 1}')`,
  );
  await database.query("select queue.workflow_receive(array['lag-over'])");
  await database.query("select queue.workflow_cancel($1)", [started?.run_id]);
  expect((await lag()).map(({ name }) => name)).not.toContain("lag-over");
  const [next] = await database.query<{ is_finite: boolean }>(
    `select isfinite(queue.workflow_next_visible_at(array['lag-over'], '{"lag-over": [1]}')) as is_finite`,
  );
  expect(next).toEqual({ is_finite: true });
});
