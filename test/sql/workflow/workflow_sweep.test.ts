import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { only } from "../../helpers/queues.ts";

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
