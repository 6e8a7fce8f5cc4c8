import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { only } from "../../helpers/queues.ts";
import { Runs } from "../../helpers/runs.ts";

const database = await createDatabase();

/** A run that ended so many days ago, kept for so many days. */
async function endedRun(daysAgo: number, retentionDays: number): Promise<string> {
  const { run_id: runId } = only(
    await database.query<{ run_id: string }>(
      "select run_id from queue.workflow_start('swept', retention_days => $1)",
      [retentionDays],
    ),
  );
  await database.query("select queue.workflow_cancel($1)", [runId]);
  await database.query(
    `update queue.workflow_run
     set completed_at = completed_at - make_interval(days => $2),
       expires_at = expires_at - make_interval(days => $2)
     where run_id = $1`,
    [runId, daysAgo],
  );
  return runId;
}

const sweep = async (ceiling: number | null): Promise<number> =>
  only(
    await database.query<{ swept: number }>("select queue.workflow_sweep(1000, $1) as swept", [
      ceiling,
    ]),
  ).swept;

const exists = async (runId: string): Promise<boolean> =>
  (await database.query("select from queue.workflow_get($1)", [runId])).length === 1;

describe("a ceiling of retention", () => {
  it.each<{ ceiling: number; goes: [number, number]; stays: [number, number] }>([
    { ceiling: 60, goes: [61, 90], stays: [59, 90] },
    { ceiling: 10, goes: [11, 30], stays: [9, 30] },
    { ceiling: 10, goes: [11, 90], stays: [6, 7] },
  ])("of $ceiling days deletes what ended before, whatever it was started with", async (is) => {
    const gone = await endedRun(...is.goes);
    const there = await endedRun(...is.stays);
    expect(await sweep(null)).toBe(0);
    expect(await sweep(is.ceiling)).toBe(1);
    expect(await exists(gone)).toBe(false);
    expect(await exists(there)).toBe(true);
    expect(await sweep(0)).toBe(1);
  });

  it.each([-1, 36_501])("of %s days is refused", async (ceiling) => {
    await expect(sweep(ceiling)).rejects.toMatchObject({ code: "OX004" });
  });
});

describe("a ceiling of the database", () => {
  const set = (days: number | null) =>
    database.query<{ changed: boolean }>("select queue.workflow_set_max_retention($1) as changed", [
      days,
    ]);
  const retention = async (runId: string | undefined): Promise<unknown> =>
    only(
      await database.query(
        "select retention_days as days from queue.workflow_run where run_id = $1",
        [runId],
      ),
    )["days"];
  const startedBy = async (text: string): Promise<unknown> => {
    const { run_id: runId } = only(await database.query<{ run_id: string }>(text));
    return retention(runId);
  };

  it("cuts the retention of every run that is started, however it is started", async () => {
    await database.query("select queue.workflow_register('{kept}', '{3}', '{90}')");
    expect(await set(7)).toEqual([{ changed: true }]);
    expect(await set(7)).toEqual([{ changed: false }]);
    const start = "select run_id from queue.workflow_start";
    expect(await startedBy(`${start}('first-of-its-kind', retention_days => 60)`)).toBe(7);
    expect(await startedBy(`${start}('kept')`)).toBe(7);
    expect(await startedBy(`${start}('kept', version => 1)`)).toBe(7);
    expect(await startedBy(`${start}('kept', retention_days => 8, idempotency_key => 'a')`)).toBe(
      7,
    );
    expect(await startedBy(`${start}('kept', retention_days => 6)`)).toBe(6);
    expect(
      await startedBy(
        "select run_id from queue.workflow_start_batch('kept', '{1,2}', retention_days => '{5,9}') order by 1 desc limit 1",
      ),
    ).toBe(7);

    await set(null);
    const { run_id: longer } = only(
      await database.query<{ run_id: string }>(`${start}('kept', retention_days => 60)`),
    );
    expect(await retention(longer)).toBe(60);
    await set(7);
    expect(await startedBy(`select queue.workflow_rerun(${longer}) as run_id`)).toBe(7);
    await set(null);
  });

  it("cuts the retention of runs that a step starts", async () => {
    const runs = new Runs(database, "with-children");
    const runId = await runs.start();
    const parent = await runs.receiveOne();
    await set(7);
    await database.query(
      `select * from queue.workflow_commit(
         names => '{with-children}', run_ids => array[$1::bigint], receipts => array[$2::bigint],
         transitions => '{keep}', results => null, resume_at => null,
         effect_items => '{1,1,1}', effect_kinds => '{invoke,invoke,detach}', effect_steps => '{a,b,c}',
         effect_targets => '{grown,grown,grown}', effect_values => '{1,1,1}',
         effect_retention => '{null,60,5}', known => '{"{}"}')`,
      [runId, parent.receipt],
    );
    expect(
      await database.query(
        "select parent_step as step, retention_days as days from queue.workflow_run where parent_run_id = $1 order by 1",
        [runId],
      ),
    ).toEqual([
      { step: "a", days: 7 },
      { step: "b", days: 7 },
      { step: "c", days: 5 },
    ]);
    await set(null);
  });

  it("applies to every sweep, also to runs that were started before", async () => {
    const gone = await endedRun(11, 90);
    const there = await endedRun(9, 90);
    expect(await sweep(null)).toBe(0);
    await set(10);
    expect(await sweep(null)).toBe(1);
    expect([await exists(gone), await exists(there)]).toEqual([false, true]);
    expect(await sweep(8)).toBe(1);
    await set(null);
  });

  it.each([-1, 36_501])("of %s days is refused", async (days) => {
    await expect(set(days)).rejects.toMatchObject({ code: "OX004" });
  });
});
