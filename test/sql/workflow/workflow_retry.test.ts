import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { Runs } from "../../helpers/runs.ts";

interface StepRow {
  readonly name: string;
  readonly failed?: true;
  /** Milliseconds that its last call took. */
  readonly took?: number;
}

const database = await createDatabase();

const retry = async (runId: string): Promise<unknown> => {
  const [row] = await database.query("select queue.workflow_retry($1) as done", [runId]);
  return row?.["done"];
};

const violations = () => database.query("select * from queue.check_invariants()");

const stepFailed = (step: string, runId: string) => ({
  name: "StepFailed",
  code: "STEP_FAILED",
  message: `Step "${step}" of run ${runId} failed after 3 attempts: no`,
});

/** Journals each step in a separate transaction, then fails the run with the error. */
async function fail(runs: Runs, steps: readonly StepRow[], error: object): Promise<string> {
  const runId = await runs.start();
  const delivery = await runs.receiveOne();
  for (const [index, { name, failed, took = 0 }] of steps.entries()) {
    await database.query(
      `select queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['keep'], array[null]::jsonb[],
         null, array[1], array[$4::int], array[$5], array['run'], array[$6]::jsonb[], array[$7]::jsonb[], array[1],
         array[$8::float8])`,
      [
        runs.name,
        runId,
        delivery.receipt,
        index + 1,
        name,
        failed === true ? null : JSON.stringify(name),
        failed === true ? JSON.stringify({ name: "Error", message: "no" }) : null,
        took,
      ],
    );
  }
  await runs.commit([{ delivery, transition: "fail", result: error }]);
  return runId;
}

describe("a retry of a failed run", () => {
  it("continues from its journal, without the step that it failed by", async () => {
    const runs = new Runs(database, "plain");
    const steps: StepRow[] = [{ name: "a" }, { name: "b" }, { name: "c", failed: true }];
    const runId = await fail(runs, steps, stepFailed("c", "1"));
    expect(await retry(runId)).toBe(true);
    expect(await retry(runId)).toBe(false);
    expect(await runs.status(runId)).toEqual({ status: "running", output: null, error: null });
    const delivery = await runs.receiveOne();
    expect(delivery.journal?.map(({ name }) => name)).toEqual(["a", "b"]);
    await runs.commit([
      { delivery, transition: "complete", result: 1, steps: ["c"], journaled: 2 },
    ]);
    expect(await runs.journal(runId)).toEqual(["a", "b", "c"]);
    expect(await violations()).toEqual([]);
  });

  it("keeps a failure that the body caught and survived", async () => {
    const runs = new Runs(database, "caught");
    const steps: StepRow[] = [
      { name: "a", failed: true },
      { name: "b" },
      { name: "c", failed: true },
    ];
    const runId = await fail(runs, steps, stepFailed("c", "1"));
    await retry(runId);
    expect(await runs.journal(runId)).toEqual(["a", "b"]);
  });

  it("forgets what began after the failure, and keeps concurrent steps", async () => {
    const runs = new Runs(database, "beside");
    const steps: StepRow[] = [
      { name: "first" },
      { name: "fatal", failed: true },
      { name: "beside", took: 60_000 },
      { name: "clean-up" },
    ];
    const error = { name: "Error", message: "wrapped", cause: stepFailed("fatal", "1") };
    const runId = await fail(runs, steps, error);
    await retry(runId);
    expect(await runs.journal(runId)).toEqual(["first", "beside"]);
    expect(await violations()).toEqual([]);
  });

  it("keeps the whole journal when no step is to blame", async () => {
    const runs = new Runs(database, "blameless");
    const steps: StepRow[] = [{ name: "a", failed: true }, { name: "b" }];
    const runId = await fail(runs, steps, { name: "TypeError", message: "x is undefined" });
    await retry(runId);
    expect(await runs.journal(runId)).toEqual(["a", "b"]);
  });

  describe("of a graph", () => {
    const steps: StepRow[] = [
      { name: "rescued", failed: true },
      { name: "pack.0.reserve" },
      { name: "pack.1.reserve", failed: true },
      { name: "pack.2.reserve" },
    ];
    const failedBy = (node: string, step?: string) => ({
      name: "NodeFailed",
      code: "NODE_FAILED",
      message: `Node "${node}" failed: no`,
      cause: {
        name: "Error",
        code: "ERROR",
        message: "no",
        ...(step === undefined ? {} : { cause: stepFailed(step, "1") }),
      },
    });

    it.each([
      ["repeats the step that failed it, within a loop", "pack", "pack.1.reserve", 2],
      [
        "repeats the step of the node, if the error is of an earlier version",
        "rescued",
        undefined,
        0,
      ],
      ["repeats nothing if a loop failed by an expression", "pack", undefined, 4],
      ["repeats nothing if the step it names isn't in the journal", "pack", "pack.9.reserve", 4],
    ])("%s", async (title, node, step, kept) => {
      const runs = new Runs(database, `graph-${title.length}`);
      const runId = await fail(runs, steps, failedBy(node, step));
      await retry(runId);
      const names = steps.map(({ name }) => name);
      expect(await runs.journal(runId)).toEqual(names.slice(0, kept));
      expect(await violations()).toEqual([]);
    });
  });

  it("lifts a deadline that has passed", async () => {
    const runs = new Runs(database, "late");
    const runId = await runs.start(", deadline => clock_timestamp()");
    expect(await runs.receive()).toEqual([]);
    await retry(runId);
    expect(await runs.receiveOne()).toMatchObject({ run_id: runId });
  });

  it("is refused when another run has its idempotency key", async () => {
    const runs = new Runs(database, "replaced");
    const runId = await runs.start(", idempotency_key => 'k'");
    await database.query("select queue.workflow_cancel($1)", [runId]);
    await runs.start(", idempotency_key => 'k', on_ended => 'start-new'");
    await expect(retry(runId)).rejects.toMatchObject({ code: "OX010" });
  });
});

it("a cancelled run continues too; a completed one doesn't", async () => {
  const runs = new Runs(database, "others");
  const cancelled = await runs.start();
  await database.query("select queue.workflow_cancel($1)", [cancelled]);
  expect(await retry(cancelled)).toBe(true);
  const delivery = await runs.receiveOne();
  await runs.commit([{ delivery, transition: "complete", result: 1 }]);
  expect(await retry(cancelled)).toBe(false);
  expect(await violations()).toEqual([]);
});

describe("a rerun", () => {
  const rerun = async (args: string): Promise<string> => {
    const [row] = await database.query<{ run_id: string }>(
      `select queue.workflow_rerun(${args}) as run_id`,
    );
    return row?.run_id ?? "";
  };

  it("is a new run with the journal up to a step, and shows whose", async () => {
    const runs = new Runs(database, "again");
    const steps: StepRow[] = [{ name: "a" }, { name: "b" }, { name: "c" }];
    const runId = await fail(runs, steps, { name: "Error", message: "no" });
    const newId = await rerun(`${runId}, 'c', '{"n": 2}'`);
    expect(await runs.journal(newId)).toEqual(["a", "b"]);
    expect(await runs.journal(runId)).toEqual(["a", "b", "c"]);
    expect(
      await database.query("select rerun_of, input, status from queue.workflow_get($1)", [newId]),
    ).toEqual([{ rerun_of: runId, input: { n: 2 }, status: "running" }]);
    const delivery = await runs.receiveOne();
    expect(delivery).toMatchObject({ run_id: newId });
    expect(delivery.journal?.length).toBe(2);
    await runs.commit([{ delivery, transition: "complete", result: 1 }]);
    expect(await violations()).toEqual([]);
  });

  it("without a step begins at the beginning, of another version where one is given", async () => {
    const runs = new Runs(database, "anew");
    const runId = await runs.start();
    const newId = await rerun(`${runId}, version => 2`);
    const deliveries = await runs.receive();
    expect(deliveries.find(({ run_id: id }) => id === newId)).toMatchObject({
      version: 2,
      journal: null,
    });
  });

  it("from a step that is not in the journal is refused, and the step named", async () => {
    const runs = new Runs(database, "nowhere");
    const runId = await runs.start();
    await expect(rerun(`${runId}, 'nope'`)).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringContaining('"nope"'),
    });
    await expect(rerun("999999999")).rejects.toMatchObject({ code: "OX005" });
  });
});
