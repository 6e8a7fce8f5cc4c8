/** Waits of a run that was cancelled with rollback while a worker executes it: nothing ends them any more. */
import { describe, expect, it } from "vitest";
import { type CommitItem, type Delivery, type Runs, shareRuns } from "../../helpers/runs.ts";

const CHILD = { kind: "invoke", step: "child" };
const SIGNAL = { kind: "event", step: "paid", event: "pay", since: "2026-01-01T00:00:00Z" };

const waiting = (
  delivery: Delivery,
  transition: "keep" | "suspend",
  waits: readonly object[] = [CHILD, SIGNAL],
): CommitItem => ({ delivery, transition, result: { waits, retries: [], journaled: 0 } });

/** A leased run whose step "child" has started a run, which is cancelled with rollback. */
async function setup(name: string, waits?: readonly object[]) {
  const runs = await shareRuns(name);
  await runs.start();
  const parent = await runs.receiveOne();
  await runs.database.query(
    `select * from queue.workflow_commit(
       names => array[$1], run_ids => array[$2::bigint], receipts => array[$3::bigint], transitions => array['keep'],
       results => array[$4::jsonb], resume_at => null, effect_items => '{1}', effect_kinds => '{invoke}',
       effect_steps => '{child}', effect_targets => array[$1], effect_events => '{null}',
       effect_values => array['{}'::jsonb], effect_versions => '{1}')`,
    [name, parent.run_id, parent.receipt, JSON.stringify(waiting(parent, "keep", waits).result)],
  );
  const child = await runs.receiveOne();
  await runs.database.query("select queue.workflow_cancel($1, 'no more', rollback => true)", [
    parent.run_id,
  ]);
  return { runs, parent, child };
}

const endCancelled = (runs: Runs, { run_id: run, receipt }: Delivery): Promise<unknown> =>
  runs.database.query(
    `select queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['cancel'],
       array['{"code": "RUN_CANCELLED", "message": "no more"}'::jsonb], array[null::timestamptz])`,
    [runs.name, run, receipt],
  );

/** The worker of the child ends it, as it does after its rollback. */
async function endChild(runs: Runs, child: Delivery): Promise<void> {
  await runs.commit([{ delivery: child, transition: "complete", result: 1 }]);
  const again = await runs.receiveOne();
  expect(again.run_id).toBe(child.run_id);
  await endCancelled(runs, again);
  expect(await runs.status(child.run_id)).toMatchObject({ status: "cancelled" });
}

const endsRolledBack = async (runs: Runs, runId: string): Promise<void> => {
  const last = await runs.receiveOne();
  expect(last).toMatchObject({
    run_id: runId,
    continuation: { waits: [], cancelled: { reason: "no more" } },
  });
  expect(last.journal ?? []).toEqual([]);
  await endCancelled(runs, last);
};

/** How much the run has begun, and how many signals it has sent to itself. */
async function begun({ database }: Runs, { run_id: run }: Delivery): Promise<object | undefined> {
  const [row] = await database.query(
    `select (select count(*)::integer from queue.workflow_run where parent_run_id = $1) as runs,
       (select count(*)::integer from queue.subscription where target = $1::text) as subscriptions,
       (select count(*)::integer from queue.approval where run_id = $1) as approvals,
       (select count(*)::integer from queue.workflow_buffered_signal where run_id = $1) as signals`,
    [run],
  );
  return row;
}

describe("a run that was cancelled with rollback while a worker executes it", () => {
  it.each(["keep", "suspend"] as const)(
    "takes neither the end of a child run nor a signal by a commit that would %s it",
    async (transition) => {
      const { runs, parent, child } = await setup(`takes-${transition}`);
      await endChild(runs, child);
      expect(await runs.signal(parent.run_id, "pay", 1)).toEqual([{ outcome: "buffered" }]);
      expect(await runs.commit([waiting(parent, transition)])).toMatchObject([
        { outcome: "ok", resolved: null },
      ]);
      expect(await runs.journal(parent.run_id)).toEqual([]);
      await runs.commit([{ delivery: parent, transition: "release" }]);
      await endsRolledBack(runs, parent.run_id);
      expect(await runs.violations()).toEqual([]);
    },
  );

  it("takes neither between the release by its worker and the next one", async () => {
    const { runs, parent, child } = await setup("released");
    await runs.commit([waiting(parent, "keep")]);
    await runs.commit([{ delivery: child, transition: "release" }]);
    await runs.commit([{ delivery: parent, transition: "release" }]);
    const again = new Map((await runs.receive()).map((delivery) => [delivery.run_id, delivery]));
    await runs.commit([{ delivery: again.get(parent.run_id) as Delivery, transition: "release" }]);
    await endCancelled(runs, again.get(child.run_id) as Delivery);
    expect(await runs.signal(parent.run_id, "pay", 1)).toEqual([{ outcome: "buffered" }]);
    await endsRolledBack(runs, parent.run_id);
    expect(await runs.violations()).toEqual([]);
  });

  it("takes neither after its worker was lost", async () => {
    const { runs, parent, child } = await setup("lost");
    await endChild(runs, child);
    await runs.endLeases();
    expect(await runs.signal(parent.run_id, "pay", 1)).toEqual([{ outcome: "buffered" }]);
    await endsRolledBack(runs, parent.run_id);
    expect(await runs.violations()).toEqual([]);
  });

  it("is ready immediately when its worker suspends it, whatever it waits for", async () => {
    const { runs, parent, child } = await setup("suspended", [SIGNAL]);
    await runs.commit([{ delivery: child, transition: "release" }]);
    expect(await runs.commit([waiting(parent, "suspend", [SIGNAL])])).toMatchObject([
      { outcome: "ok", resolved: null },
    ]);
    const ready = await runs.receive();
    expect(ready.map(({ run_id: id }) => id).toSorted()).toEqual(
      [parent.run_id, child.run_id].toSorted(),
    );
    expect(await runs.violations()).toEqual([]);
  });

  it("returns what it had taken before, when that commit is repeated after a lost answer", async () => {
    const runs = await shareRuns("repeated");
    await runs.start();
    const delivery = await runs.receiveOne();
    await runs.signal(delivery.run_id, "pay", 7);
    const commit = () => runs.commit([waiting(delivery, "suspend", [SIGNAL])]);
    const resolved = [{ step: "paid", payload: 7 }];
    expect(await commit()).toMatchObject([{ outcome: "ok", resolved }]);
    await runs.database.query("select queue.workflow_cancel($1, rollback => true)", [
      delivery.run_id,
    ]);
    expect(await commit()).toMatchObject([{ outcome: "ok", resolved }]);
    await runs.commit([{ delivery, transition: "release" }]);
    expect(await runs.receiveOne()).toMatchObject({ journal: [{ name: "paid", output: 7 }] });
    expect(await runs.violations()).toEqual([]);
  });

  it("waits for the retry of a rollback as long as it asks for", async () => {
    const { runs, parent, child } = await setup("patient");
    await endChild(runs, child);
    await runs.commit([{ delivery: parent, transition: "release" }]);
    const delivery = await runs.receiveOne();
    await runs.database.query(
      `select queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['suspend'],
         array['{"waits": [], "retries": [{"step": "undo", "attempts": 1}], "journaled": 0}'::jsonb],
         array[clock_timestamp() + interval '1 hour'])`,
      [runs.name, delivery.run_id, delivery.receipt],
    );
    expect(await runs.receive()).toEqual([]);
  });

  it("starts the child run again when it is retried", async () => {
    const { runs, parent, child } = await setup("retried");
    await endChild(runs, child);
    await runs.commit([waiting(parent, "keep")]);
    await runs.commit([{ delivery: parent, transition: "release" }]);
    await endsRolledBack(runs, parent.run_id);
    await runs.database.query("select queue.workflow_retry($1)", [parent.run_id]);
    expect((await runs.receiveOne()).journal ?? []).toEqual([]);
    expect(
      await runs.database.query("select from queue.workflow_run where parent_run_id = $1", [
        parent.run_id,
      ]),
    ).toEqual([]);
  });

  it("begins nothing more, and still sends what it has journaled", async () => {
    const { runs, parent } = await setup("begins", [SIGNAL]);
    const before = await begun(runs, parent);
    await runs.database.query(
      `select queue.workflow_commit(array[$1], array[$2::text::bigint], array[$3::bigint], array['keep'], array[null::jsonb],
         array[null::timestamptz], step_items => '{1}', step_positions => '{1}', step_names => '{sent}',
         step_kinds => '{signal}', step_outputs => '{null}', step_errors => '{null}', step_attempts => '{1}',
         step_durations => '{0}', effect_items => '{1,1,1,1,1,1}',
         effect_kinds => '{invoke,item,detach,subscribe,approval,signal}', effect_steps => '{i,t,d,s,a,sent}',
         effect_targets => array[$1, $1, $1, 'a.topic', null, $2::text], effect_events => '{null,null,null,s,null,hello}',
         effect_values => array['{}', '{}', '{}', '{}', '{"title": "May it?"}', '1']::jsonb[],
         effect_versions => '{1,1,1,null,null,null}')`,
      [runs.name, parent.run_id, parent.receipt],
    );
    expect(await begun(runs, parent)).toEqual({ ...before, signals: 1 });
    expect(await runs.violations()).toEqual([]);
  });
});

it("an attempt that fails after the cancellation is rolled back immediately, without a back-off", async () => {
  const runs = await shareRuns("failing");
  await runs.start();
  const delivery = await runs.receiveOne();
  await runs.database.query("select queue.workflow_cancel($1, 'no more', rollback => true)", [
    delivery.run_id,
  ]);
  await runs.database.query(
    `select queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['retry'],
       array['{"message": "no"}'::jsonb], array[clock_timestamp() + interval '1 hour'])`,
    [runs.name, delivery.run_id, delivery.receipt],
  );
  expect(await runs.receiveOne()).toMatchObject({
    run_id: delivery.run_id,
    continuation: { cancelled: { reason: "no more" } },
  });
});

it.each([
  ["retry", { message: "no" }, "1 hour"],
  ["suspend", { waits: [SIGNAL], retries: [], journaled: 0 }, "1 hour"],
  ["complete", 1, null],
  ["continue", {}, null],
])(
  "is rolled back as soon as its pause ends if it was paused too before its worker noticed: %s",
  async (transition, result, resumesIn) => {
    const runs = await shareRuns(`paused-${transition}`);
    await runs.start();
    const delivery = await runs.receiveOne();
    await runs.database.query(
      "select queue.workflow_cancel($1, 'no more', rollback => true), queue.workflow_pause($1)",
      [delivery.run_id],
    );
    await runs.database.query(
      `select queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array[$4], array[$5::jsonb],
         array[clock_timestamp() + $6::interval])`,
      [runs.name, delivery.run_id, delivery.receipt, transition, JSON.stringify(result), resumesIn],
    );
    expect(await runs.violations()).toEqual([]);
    expect(await runs.receive()).toEqual([]);
    await runs.database.query("select queue.workflow_resume($1)", [delivery.run_id]);
    expect(await runs.receiveOne()).toMatchObject({
      run_id: delivery.run_id,
      continuation: { cancelled: { reason: "no more" } },
    });
  },
);
