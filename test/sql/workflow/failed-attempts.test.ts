import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { only } from "../../helpers/queues.ts";

const database = await createDatabase();

const commit = (
  [workflow, runId, receipt]: readonly string[],
  transition: string,
  result: unknown,
): Promise<unknown[]> =>
  database.query(
    "select outcome from queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array[$4], array[$5::jsonb], array[null::timestamptz])",
    [workflow, runId, receipt, transition, JSON.stringify(result)],
  );

async function receivedRun(workflow: string): Promise<[string, string, string]> {
  await database.query("select queue.workflow_start($1, '{}')", [workflow]);
  const row = only(
    await database.query<{ run_id: string; receipt: string }>(
      "select run_id, receipt from queue.workflow_receive(array[$1])",
      [workflow],
    ),
  );
  return [workflow, row.run_id, row.receipt];
}

const retrying = (attempts: number, until: number): object => ({
  waits: [],
  retries: [
    {
      step: "call",
      attempts,
      until: new Date(until).toISOString(),
      error: { name: "Error", message: `failure ${attempts}` },
    },
  ],
});

const failures = async (runId: string): Promise<number[]> => {
  const { retries } = only(
    await database.query<{ retries: { failures: { attempt: number }[] }[] }>(
      "select retries from queue.workflow_get($1)",
      [runId],
    ),
  );
  return retries.flatMap((retry) => retry.failures.map(({ attempt }) => attempt));
};

describe("failed attempts", () => {
  it("are noted once, however often the continuation is written", async () => {
    const run = await receivedRun("noted-once");
    for (let times = 0; times < 3; times += 1) await commit(run, "keep", retrying(1, 1_000));
    await commit(run, "keep", retrying(2, 2_000));
    expect(await failures(run[1])).toEqual([1, 2]);
  });

  it("are the first 10 and the last 90 of a step", async () => {
    const run = await receivedRun("noted-often");
    for (let attempt = 1; attempt <= 130; attempt += 1) {
      await commit(run, "keep", retrying(attempt, attempt * 1_000));
    }
    const noted = await failures(run[1]);
    expect(noted).toHaveLength(100);
    expect(noted.slice(8, 12)).toEqual([9, 10, 41, 42]);
    expect(noted.at(-1)).toBe(130);
  });

  it("of a receipt that is dead are not noted", async () => {
    const [workflow, runId, receipt] = await receivedRun("noted-dead");
    await commit([workflow, runId, receipt], "keep", retrying(1, 1_000));
    expect(
      await commit([workflow, runId, String(BigInt(receipt) + 1n)], "keep", retrying(2, 2_000)),
    ).toEqual([{ outcome: "lost" }]);
    expect(await failures(runId)).toEqual([1]);
  });

  it("written by hand without what they need are left out, and harm nothing", async () => {
    const run = await receivedRun("noted-by-hand");
    expect(await commit(run, "keep", { waits: [], retries: [{ step: "call" }] })).toEqual([
      { outcome: "ok" },
    ]);
    expect(await commit(run, "keep", { waits: [], retries: "none" })).toEqual([{ outcome: "ok" }]);
  });
});
