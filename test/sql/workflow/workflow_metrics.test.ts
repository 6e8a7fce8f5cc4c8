import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import { Runs } from "../../helpers/runs.ts";

interface Metrics {
  readonly until: string;
  readonly started: readonly unknown[];
  readonly ended: readonly unknown[];
  readonly steps: readonly unknown[];
}

const database = await createDatabase();

async function metrics(since: string | null): Promise<Metrics> {
  const [row] = await database.query<{ metrics: Metrics }>(
    "select queue.workflow_metrics($1, array[60, 3600]) as metrics",
    [since],
  );
  if (row === undefined) throw new Error("workflow_metrics() returned no row.");
  return row.metrics;
}

it("begins to count at its first answer, and then returns the changes since", async () => {
  const before = await metrics(null);
  expect(before).toMatchObject({ started: [], ended: [], steps: [] });
  const runs = new Runs(database, "metered");
  await runs.start();
  const delivery = await runs.receiveOne();
  await runs.commit([{ delivery, transition: "complete", steps: ["a", "b"] }]);
  await runs.start();

  const after = await eventually(
    () => metrics(before.until),
    ({ ended, started }) => ended.length > 0 && JSON.stringify(started).includes("2"),
  );
  expect(after.started).toEqual([{ workflow: "metered", count: 2 }]);
  expect(after.ended).toMatchObject([
    { workflow: "metered", status: "completed", bucket: 0, count: 1 },
  ]);
  expect(after.steps).toMatchObject([
    { workflow: "metered", step: "a", bucket: 0, count: 1, retries: 0 },
    { workflow: "metered", step: "b", bucket: 0, count: 1, retries: 0 },
  ]);
  expect(await metrics(after.until)).toMatchObject({ started: [], ended: [], steps: [] });
});

it("finds what has happened since by an index, not among all runs that are kept", async () => {
  const session = await database.connect();
  await session.query("set enable_seqscan = off");
  for (const time of [
    "r.started_at - timestamptz '2000-01-01 00:00:00+00'",
    "case when r.completed_at is not null then r.completed_at - timestamptz '2000-01-01 00:00:00+00' end",
  ]) {
    const { rows } = await session.query(
      `explain select from queue.workflow_run as r
       where ${time} > now() - timestamptz '2000-01-01 00:00:00+00' - interval '1 minute'`,
    );
    expect(JSON.stringify(rows)).toContain("workflow_run_times");
  }
});
