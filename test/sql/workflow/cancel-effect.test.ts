/** The effect by which a commit cancels the child run of an abandoned step. */
import { describe, expect, it } from "vitest";
import { type Delivery, type Runs, setupRun, setupRuns } from "../../helpers/runs.ts";

const ABANDONED = JSON.stringify({ name: "StepAbandoned", code: "STEP_ABANDONED", message: "…" });

interface Item {
  readonly delivery: Delivery;
  readonly transition: string;
  /** The step that this item abandons, or null. */
  readonly abandons: string | null;
}

/** One commit of several runs, with the rows and effects of abandoned steps. */
const commit = (runs: Runs, items: readonly Item[], skipLocked = false) => {
  const abandoning = items.flatMap(({ abandons }, index) =>
    abandons === null ? [] : [{ item: index + 1, step: abandons }],
  );
  return runs.database.query<{ run_id: string; outcome: string }>(
    `select run_id, outcome from queue.workflow_commit(
       names => $1, run_ids => $2, receipts => $3, transitions => $4, results => $5::jsonb[], resume_at => null,
       step_items => $6, step_positions => $7::integer[], step_names => $8, step_kinds => $9, step_errors => $10::jsonb[],
       step_attempts => $7::integer[], step_durations => $7::integer[]::double precision[],
       effect_items => $6, effect_kinds => $11, effect_steps => $8, effect_targets => $12, effect_events => $12,
       known => $13::jsonb[], skip_locked => $14)`,
    [
      items.map(() => runs.name),
      items.map(({ delivery }) => delivery.run_id),
      items.map(({ delivery }) => delivery.receipt),
      items.map(({ transition }) => transition),
      items.map(({ transition }) =>
        transition === "suspend" ? '{"waits": [], "retries": [], "journaled": 1}' : null,
      ),
      abandoning.map(({ item }) => item),
      abandoning.map(() => 1),
      abandoning.map(({ step }) => step),
      abandoning.map(() => "invoke"),
      abandoning.map(() => ABANDONED),
      abandoning.map(() => "cancel"),
      abandoning.map(() => null),
      items.map(() => "{}"),
      skipLocked,
    ],
  );
};

/** A parent with a leased child, which its step "i" has invoked. */
async function setup(name: string) {
  const runs = await setupRuns(name);
  await runs.start();
  const parent = await runs.receiveOne();
  await runs.database.query(
    `select * from queue.workflow_commit(
       names => array[$1], run_ids => array[$2::bigint], receipts => array[$3::bigint], transitions => array['keep'],
       results => array['{"waits": [{"kind": "invoke", "step": "i"}], "retries": [], "journaled": 0}'::jsonb],
       resume_at => null, effect_items => '{1}', effect_kinds => '{invoke}', effect_steps => '{i}',
       effect_targets => array[$1], effect_events => '{null}', effect_values => array['{}'::jsonb],
       effect_versions => '{1}', known => array['{}'::jsonb])`,
    [name, parent.run_id, parent.receipt],
  );
  const child = await runs.receiveOne();
  return { runs, parent, child };
}

const abandoning = (delivery: Delivery, transition = "suspend"): Item => ({
  delivery,
  transition,
  abandons: "i",
});

describe("a commit that cancels the child run of an abandoned step", () => {
  it("ends the child, and journals no outcome of it in the parent", async () => {
    const { runs, parent, child } = await setup("cancels");
    expect(await commit(runs, [abandoning(parent)])).toMatchObject([{ outcome: "ok" }]);
    expect(await runs.status(child.run_id)).toMatchObject({
      status: "cancelled",
      error: {
        code: "RUN_CANCELLED",
        message: `step "i" of run ${parent.run_id}, which started it, was abandoned`,
      },
    });
    expect(await runs.journal(parent.run_id)).toEqual(["i"]);
    const late = { delivery: child, transition: "complete", abandons: null };
    expect(await commit(runs, [late])).toMatchObject([{ outcome: "cancelled" }]);
    expect(await runs.violations()).toEqual([]);
  });

  it("changes nothing when it is repeated after a lost answer", async () => {
    const { runs, parent, child } = await setup("repeats");
    await commit(runs, [abandoning(parent, "keep")]);
    expect(await commit(runs, [abandoning(parent, "keep")])).toMatchObject([{ outcome: "ok" }]);
    expect(await runs.journal(parent.run_id)).toEqual(["i"]);
    expect(await runs.status(child.run_id)).toMatchObject({ status: "cancelled" });
  });

  it.each(["complete", "suspend", "fail"])(
    "leaves a child that completes in the same commit as it is, when the parent does %s",
    async (transition) => {
      const { runs, parent, child } = await setup(`together-${transition}`);
      const results = await commit(runs, [
        abandoning(parent, transition),
        { delivery: child, transition: "complete", abandons: null },
      ]);
      expect(results).toMatchObject([{ outcome: "ok" }, { outcome: "ok" }]);
      expect(await runs.status(child.run_id)).toMatchObject({ status: "completed" });
      expect(await runs.journal(parent.run_id)).toEqual(["i"]);
      expect(await runs.violations()).toEqual([]);
    },
  );

  it("leaves the parent out, rather than wait for a child that is locked, if asked to", async () => {
    const { runs, parent, child } = await setup("busy");
    const locker = await runs.database.connect();
    await locker.query("begin");
    await locker.query(
      "select from queue.workflow_continuation where msg_id = $1 for no key update",
      [child.run_id],
    );
    expect(await commit(runs, [abandoning(parent)], true)).toMatchObject([{ outcome: "busy" }]);
    expect(await runs.journal(parent.run_id)).toEqual([]);
    await locker.query("rollback");
    expect(await commit(runs, [abandoning(parent)], true)).toMatchObject([{ outcome: "ok" }]);
    expect(await runs.status(child.run_id)).toMatchObject({ status: "cancelled" });
  });

  it.each(["invoke", "detach"])(
    "is refused for a step that has the effect %s in the same commit",
    async (kind) => {
      const { runs, runId } = await setupRun(`contradicts-${kind}`);
      const { receipt } = await runs.receiveOne();
      const both = runs.database.query(
        `select * from queue.workflow_commit(
           names => array[$1], run_ids => array[$2::bigint], receipts => array[$3::bigint], transitions => '{keep}',
           results => null, resume_at => null, effect_items => '{1,1}', effect_kinds => array[$4, 'cancel'],
           effect_steps => '{i,i}', effect_targets => array[$1, null], effect_versions => '{1,null}')`,
        [runs.name, runId, receipt, kind],
      );
      await expect(both).rejects.toMatchObject({
        code: "OX004",
        message: 'step "i" invokes a run and cancels it in one commit',
      });
      expect(
        await runs.database.query("select from queue.workflow_run where parent_run_id = $1", [
          runId,
        ]),
      ).toEqual([]);
    },
  );

  it("has no effect for a step that has started no run", async () => {
    const { runs, runId } = await setupRun("childless");
    const delivery = await runs.receiveOne();
    expect(await commit(runs, [abandoning(delivery)])).toMatchObject([{ outcome: "ok" }]);
    expect(await runs.journal(runId)).toEqual(["i"]);
  });
});
