import { describe, expect, it } from "vitest";
import { setupRun } from "../../helpers/runs.ts";

const { runs, runId: parent } = await setupRun("parent");
const delivery = await runs.receiveOne();
const waits = ["a", "b", "c"].map((step) => ({ kind: "invoke", step }));
await runs.database.query(
  `select outcome from queue.workflow_commit(array['parent'], array[$1::bigint], array[$2::bigint], array['keep'],
       array[$3::jsonb], array[null::timestamptz],
       effect_items => array[1, 1, 1], effect_kinds => array['invoke', 'invoke', 'detach'],
       effect_steps => array['a', 'b', 'c'], effect_targets => array['x', 'y', 'z'],
       effect_events => array[null, null, null]::text[], effect_values => array['1', '2', '3']::jsonb[],
       effect_versions => array[1, 2, 3], effect_retention => array[1, 1, 1])`,
  [
    delivery.run_id,
    delivery.receipt,
    JSON.stringify({ waits: waits.slice(0, 2), retries: [], journaled: 0 }),
  ],
);

const children = (rest = "") =>
  runs.database.query<{ run_id: string; parent_step: string }>(
    `select run_id, name, version, status, parent_step, is_detached, completed_at
     from queue.workflow_children($1${rest})`,
    [parent],
  );

describe("workflow_children", () => {
  it("lists what the steps of a run have started, oldest first", async () => {
    const running = { run_id: expect.any(String), status: "running", completed_at: null };
    expect(await children()).toEqual([
      { ...running, name: "x", version: 1, parent_step: "a", is_detached: false },
      { ...running, name: "y", version: 2, parent_step: "b", is_detached: false },
      { ...running, name: "z", version: 3, parent_step: "c", is_detached: true },
    ]);
  });

  it("continues after a run", async () => {
    const [first] = await children(", max_runs => 1");
    const rest = await children(`, after => ${first?.run_id}`);
    expect(rest.map((child) => child.parent_step)).toEqual(["b", "c"]);
  });

  it("is empty for a run that started nothing, and for an unknown one", async () => {
    const query = "select * from queue.workflow_children($1)";
    expect(await runs.database.query(query, [999])).toEqual([]);
  });

  it("refuses a page of any size", async () => {
    await expect(children(", max_runs => 0")).rejects.toMatchObject({ code: "OX004" });
  });
});
