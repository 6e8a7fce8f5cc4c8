/** Decisions in journal rows: what commits write, and what receives, reruns and retries make of them. */
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { type Delivery, Runs } from "../../helpers/runs.ts";

interface Decided {
  readonly name: string;
  readonly output?: unknown;
  readonly before?: true;
}

interface Row {
  readonly name: string;
  readonly kind?: string;
  readonly failed?: true;
  readonly took?: number;
  readonly decisions?: readonly Decided[];
}

const database = await createDatabase();

/** Journals the rows, each in a commit of its own. */
async function commit({ name }: Runs, delivery: Delivery, rows: readonly Row[]): Promise<void> {
  for (const [index, row] of rows.entries()) {
    await database.query(
      `select queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['keep'], array[null]::jsonb[],
         null, array[1], array[$4::int], array[$5], array[$6], array[$7]::jsonb[], array[$8]::jsonb[], array[1],
         array[$9::float8], step_decisions => array[$10::jsonb])`,
      [
        name,
        delivery.run_id,
        delivery.receipt,
        index + 1,
        row.name,
        row.kind ?? "run",
        row.failed === true || row.kind === "decision" ? null : JSON.stringify(row.name),
        row.failed === true ? JSON.stringify({ name: "Error", message: "no" }) : null,
        row.took ?? 0,
        row.decisions === undefined ? null : JSON.stringify(row.decisions),
      ],
    );
  }
}

async function fail(name: string, rows: readonly Row[], step: string): Promise<[Runs, string]> {
  const runs = new Runs(database, name);
  const runId = await runs.start();
  const delivery = await runs.receiveOne();
  await commit(runs, delivery, rows);
  const message = `Step "${step}" of run ${runId} failed after 1 attempts: no`;
  const error = { name: "StepFailed", code: "STEP_FAILED", message };
  await runs.commit([{ delivery, transition: "fail", result: error }]);
  return [runs, runId];
}

const journal = async (runId: string): Promise<unknown[]> => {
  const rows = await database.query<{ name: string; decisions: readonly Decided[] | null }>(
    "select name, decisions from queue.workflow_journal($1)",
    [runId],
  );
  return rows.map(({ name, decisions }) => [name, decisions?.map((each) => each.name) ?? null]);
};

const way: Decided = { name: "way", output: { value: "left" } };

describe("decisions", () => {
  it("come with their row to the next worker, in pages as well", async () => {
    const runs = new Runs(database, "delivered");
    const runId = await runs.start();
    await commit(runs, await runs.receiveOne(), [
      { name: "a", decisions: [way, { name: "speed" }] },
      { name: "b", failed: true, decisions: [{ name: "last", before: true }] },
      { name: "end when", kind: "decision", decisions: [{ name: "end when" }] },
      { name: "c" },
    ]);
    await database.query(
      "update queue.workflow_continuation set visible_at = clock_timestamp() where msg_id = $1",
      [runId],
    );
    const expected = [
      { name: "a", kind: "run", attempts: 1, output: "a", decisions: [way, { name: "speed" }] },
      {
        name: "b",
        kind: "run",
        attempts: 1,
        error: { name: "Error", message: "no" },
        decisions: [{ name: "last", before: true }],
      },
      { name: "end when", kind: "decision", attempts: 1, decisions: [{ name: "end when" }] },
      { name: "c", kind: "run", attempts: 1, output: "c" },
    ];
    expect((await runs.receiveOne()).journal).toEqual(expected);
    const [page] = await database.query("select queue.workflow_journal_page($1) as rows", [runId]);
    expect(page?.["rows"]).toEqual(expected);
    expect(await runs.violations()).toEqual([]);
  });

  it("go with the transaction of a step", async () => {
    const runs = new Runs(database, "tx");
    const runId = await runs.start();
    const { receipt } = await runs.receiveOne();
    const decisions = JSON.stringify([{ ...way, before: true }]);
    const [row] = await database.query(
      "select queue.workflow_commit_tx($1, $2, 'book', '1', decisions => $3) as outcome",
      [runId, receipt, decisions],
    );
    expect(row?.["outcome"]).toBe("ok");
    expect(await journal(runId)).toEqual([["book", ["way"]]]);
  });

  it("count towards the size of the journal", async () => {
    const runs = new Runs(database, "large");
    const runId = await runs.start();
    const delivery = await runs.receiveOne();
    const output = Array.from({ length: 2_000 }, (_, n) => `item ${n}`);
    await commit(runs, delivery, [{ name: "a", decisions: [{ name: "list", output }] }]);
    const [row] = await database.query(
      "select bytes > 20000 as is_counted from queue.workflow_step where run_id = $1",
      [runId],
    );
    expect(row).toEqual({ is_counted: true });
  });

  it("that are journaled twice, or under the name of a step, violate an invariant", async () => {
    const runs = new Runs(database, "twice");
    const runId = await runs.start();
    await commit(runs, await runs.receiveOne(), [
      { name: "a", decisions: [way] },
      { name: "b", decisions: [way, { name: "a" }] },
    ]);
    const violations = await database.query(
      "select invariant, detail from queue.check_invariants() order by detail",
    );
    const invariant = "a name is journaled once";
    expect(violations).toEqual([
      { invariant, detail: '"a"' },
      { invariant, detail: '"way"' },
    ]);
    await database.query("delete from queue.workflow_step where run_id = $1", [runId]);
  });
});

describe("a rerun", () => {
  const rows: Row[] = [
    { name: "a", decisions: [{ name: "first", before: true }, way, { name: "speed" }] },
    { name: "b" },
    { name: "alone", kind: "decision", decisions: [{ name: "alone" }, { name: "beside" }] },
  ];

  it.each([
    ["b", [["a", ["first", "way", "speed"]]]],
    ["speed", [["a", ["first", "way"]]]],
    ["way", [["a", ["first"]]]],
    ["first", []],
    [
      "beside",
      [
        ["a", ["first", "way", "speed"]],
        ["b", null],
      ],
    ],
  ])("from %s decides again from there on", async (from, expected) => {
    const [runs, runId] = await fail(`rerun-${from}`, rows, "none");
    const [row] = await database.query<{ id: string }>(
      "select queue.workflow_rerun($1, $2) as id",
      [runId, from],
    );
    expect(await journal(row?.id ?? "")).toEqual(expected);
    const [many] = await database.query(
      "select changed from queue.workflow_rerun_all(jsonb_build_object('name', $1::text), from_step => $2)",
      [runs.name, from],
    );
    expect(many).toEqual({ changed: 1 });
    expect(await runs.violations()).toEqual([]);
  });
});

it("a retry forgets what was decided since the failure, and keeps what was before", async () => {
  const [runs, runId] = await fail(
    "retried",
    [
      { name: "a", decisions: [way] },
      { name: "fatal", failed: true, decisions: [{ name: "on error" }] },
      { name: "beside", took: 60_000, decisions: [{ name: "after" }] },
      { name: "alone", kind: "decision", took: 60_000, decisions: [{ name: "alone" }] },
    ],
    "fatal",
  );
  await database.query("select queue.workflow_retry($1)", [runId]);
  expect(await journal(runId)).toEqual([
    ["a", ["way"]],
    ["beside", null],
  ]);
  expect(await runs.violations()).toEqual([]);
});
