/** Items of loops as child runs: what starts them, and what many of them cost others. */
import { describe, expect, it } from "vitest";
import { planner } from "../../helpers/plans.ts";
import { type Delivery, type Runs, setupRun, setupRuns } from "../../helpers/runs.ts";

const startItem = (
  runs: Runs,
  { run_id: runId, receipt }: Delivery,
  target: string,
  version: number | null,
) =>
  runs.database.query(
    `select outcome from queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['keep'],
       array['{"waits": [{"kind": "invoke", "step": "each.0"}], "retries": [], "journaled": 0}'::jsonb],
       array[null::timestamptz], effect_items => '{1}', effect_kinds => '{item}', effect_steps => '{each.0}',
       effect_targets => array[$4], effect_events => array[null]::text[], effect_values => array['{}'::jsonb],
       effect_versions => array[$5::integer], effect_retention => array[null::integer])`,
    [runs.name, runId, receipt, target, version],
  );

const itemsOf = (runs: Runs) =>
  runs.database.query("select workflow_name, parent_step from queue.workflow_run where is_item");

/** Ended items of a run, one second after another. */
const insertItems = (runs: Runs, parent: string, count: number) =>
  runs.database.query(
    `insert into queue.workflow_run (
       started_at, completed_at, expires_at, retention_days, workflow_version, status, workflow_name, parent_run_id,
       parent_step, is_detached, is_item
     )
     select now() + n * interval '1 second', now() + n * interval '1 second', now() + interval '30 days', 30, 1,
       'completed', $1, $2, 'each.' || n, false, true
     from generate_series(1, $3::integer) as n`,
    [runs.name, parent, count],
  );

it("an item is refused unless it is of the workflow and the version of its run", async () => {
  const runs = await setupRuns("own-items");
  await runs.start();
  const delivery = await runs.receiveOne();
  for (const [target, version] of [
    ["other", 1],
    ["own-items", 2],
    ["own-items", null],
  ] as const) {
    await expect(startItem(runs, delivery, target, version)).rejects.toMatchObject({
      code: "OX004",
      message: `step "each.0" of run ${delivery.run_id} starts an item of "${target}" in version ${version ?? "null"}, but the run is one of "own-items" in version 1`,
    });
  }
  expect(await itemsOf(runs)).toEqual([]);
  await startItem(runs, delivery, "own-items", 1);
  expect(await itemsOf(runs)).toEqual([{ workflow_name: "own-items", parent_step: "each.0" }]);
  expect(await runs.violations()).toEqual([]);
});

it("an item that has not begun when limits are set doesn't wait for its run, which they count", async () => {
  const runs = await setupRuns("limited-items");
  const setConcurrency = (concurrency: number) =>
    runs.database.query(
      "select queue.workflow_set_flow_control($1, jsonb_build_object('concurrency', $2::integer))",
      [runs.name, concurrency],
    );
  const counted = () =>
    runs.database.query("select admitted, queued from queue.workflow_flow_control($1)", [
      runs.name,
    ]);
  await runs.start();
  await startItem(runs, await runs.receiveOne(), runs.name, 1);
  await setConcurrency(1);
  expect(await counted()).toEqual([{ admitted: "1", queued: "0" }]);
  const item = await runs.receiveOne();
  expect(item.continuation).toMatchObject({ item: true });
  await setConcurrency(2);
  expect(await counted()).toEqual([{ admitted: "1", queued: "0" }]);
  await runs.commit([{ delivery: item, transition: "complete" }]);
  expect(await runs.violations()).toEqual([]);
});

describe("thousands of items", () => {
  it("are not read for the child of one step, whatever the plan is", async () => {
    const { runs, runId: parent } = await setupRun("many-children");
    await insertItems(runs, parent, 3_000);
    await runs.database.query("analyze queue.workflow_run");
    const explain = await planner(runs.database);
    await explain("set plan_cache_mode = force_generic_plan");
    const { buffers, indexes } = await explain(
      "select * from queue.workflow_children($1, step => $2)",
      [parent, "each.1700"],
    );
    expect(indexes).toContain("workflow_run_parent");
    expect(buffers).toBeLessThan(20);
  });

  it("are not read beyond the newest 10,000 to judge whether runs keep failing", async () => {
    const runs = await setupRuns("failing");
    const { database } = runs;
    await database.query(`
      insert into queue.definition (
        created_at, drafted_at, revision, published_version, is_protected, name, pool, draft_by, draft_hash, draft,
        pause_after_failures
      )
      values (now(), now(), 1, 1, false, 'failing', 'default', 'ann', 'hash', '{}', 2)`);
    const fail = async (): Promise<string> => {
      const [row] = await database.query<{ id: string }>(
        `insert into queue.workflow_run (
           started_at, completed_at, expires_at, retention_days, workflow_version, status, workflow_name, error
         )
         values (now() - interval '1 hour', now(), now() + interval '30 days', 30, 1, 'failed', 'failing', '{}')
         returning run_id::text as id`,
      );
      return row?.id ?? "";
    };
    const first = await fail();
    const explain = await planner(database);
    const judge = (runId: string) =>
      explain("select queue._pause_failing_definitions(array[$1::bigint])", [runId]);
    const isPaused = async (): Promise<unknown> =>
      (
        await database.query(
          "select paused_at is not null as paused from queue.definition where name = 'failing'",
        )
      )[0];
    await judge(first);
    expect(await isPaused()).toEqual({ paused: false });
    await insertItems(runs, first, 9_000);
    await database.query("analyze queue.workflow_run");
    const second = await fail();
    await insertItems(runs, second, 9_000);
    await database.query("analyze queue.workflow_run");
    const { buffers, scanned } = await judge(second);
    expect(await isPaused()).toEqual({ paused: false });
    expect(scanned).not.toContain("workflow_run");
    // An item takes a page each; without the bound, all 18,000 are read.
    expect(buffers).toBeLessThan(11_000);
    await database.query("delete from queue.workflow_run where parent_run_id = $1", [second]);
    await judge(second);
    expect(await isPaused()).toEqual({ paused: true });
  });
});
