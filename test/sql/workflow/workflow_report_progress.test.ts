import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { only } from "../../helpers/queues.ts";

const database = await createDatabase();

let names = 0;

/** A run that a worker has received. */
async function receivedRun(): Promise<{ runId: string; receipt: string; workflow: string }> {
  const workflow = `progress-${(names += 1)}`;
  await database.query("select queue.workflow_start($1, '{}')", [workflow]);
  const { run_id: runId, receipt } = only(
    await database.query<{ run_id: string; receipt: string }>(
      "select run_id, receipt from queue.workflow_receive(array[$1])",
      [workflow],
    ),
  );
  return { runId, receipt, workflow };
}

const report = (receipts: readonly string[], steps: readonly unknown[]): Promise<unknown[]> =>
  database.query("select queue.workflow_report_progress($1, 'host:1', $2::jsonb[])", [
    receipts,
    steps.map((list) => JSON.stringify(list)),
  ]);

const inProgress = async (runId: string): Promise<unknown> =>
  only(await database.query("select in_progress from queue.workflow_get($1)", [runId]))[
    "in_progress"
  ];

describe("workflow_report_progress", () => {
  it("shows the calls of a run, and since when they take", async () => {
    const { runId, receipt } = await receivedRun();
    expect(await inProgress(runId)).toBeNull();
    await report([receipt], [[{ step: "charge", attempt: 2, for_ms: 60_000 }]]);
    const calls = (await inProgress(runId)) as { since: string }[];
    expect(calls).toEqual([
      { step: "charge", attempt: 2, since: expect.any(String), worker: "host:1" },
    ]);
    const age = Date.now() - Date.parse(calls[0]?.since ?? "");
    expect(age).toBeGreaterThan(59_000);
    await report([receipt], [[]]);
    expect(await inProgress(runId)).toBeNull();
  });

  it("counts only while the receipt is alive", async () => {
    const { runId, receipt, workflow } = await receivedRun();
    await report([receipt], [[{ step: "a", attempt: 1, for_ms: 1_000 }]]);
    await database.query(
      "select queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['release'], array[null::jsonb], array[null::timestamptz])",
      [workflow, runId, receipt],
    );
    expect(await inProgress(runId)).toBeNull();
    await report([receipt], [[{ step: "b", attempt: 1, for_ms: 1_000 }]]);
    await database.query("select queue.workflow_receive(array[$1])", [workflow]);
    expect(await inProgress(runId)).toBeNull();
  });

  it("leaves with its run", async () => {
    const { runId, receipt } = await receivedRun();
    await report([receipt], [[{ step: "a", attempt: 1, for_ms: 1_000 }]]);
    await database.query("select queue.workflow_cancel($1)", [runId]);
    await database.query(
      "update queue.workflow_run set expires_at = now() - interval '1 day' where run_id = $1",
      [runId],
    );
    await database.query("select queue.workflow_sweep()");
    expect(
      await database.query("select from queue.workflow_progress where run_id = $1", [runId]),
    ).toEqual([]);
  });

  it("refuses lists that don't fit the receipts", async () => {
    await expect(report(["1", "2"], [[]])).rejects.toMatchObject({ code: "OX004" });
  });
});
