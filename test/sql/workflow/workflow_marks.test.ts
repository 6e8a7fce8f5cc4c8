import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { setupRun } from "../../helpers/runs.ts";
import { value } from "../../helpers/value.ts";

const database = await createDatabase();
await database.query("select queue.migrate()");

const marks = (...runIds: readonly string[]): Promise<Record<string, string>> =>
  value(database, "queue.workflow_marks($1::bigint[])", [runIds]);

it("marks differ after each change of their run, and only of that run", async () => {
  const rows = await database.query(
    "select run_id::text from queue.workflow_start_batch('marked', array['1', '2']::jsonb[])",
  );
  const [one = "", other = ""] = rows.map((row) => String(row["run_id"]));
  let before = await marks(one, other);
  expect(Object.keys(before).toSorted()).toEqual([one, other].toSorted());
  expect(await marks(one, other)).toEqual(before);
  for (const change of ["pause", "resume", "cancel"]) {
    await database.query(`select queue.workflow_${change}($1)`, [one]);
    const after = await marks(one, other);
    expect([change, after[one]]).not.toEqual([change, before[one]]);
    expect([change, after[other]]).toEqual([change, before[other]]);
    before = after;
  }
});

it("a mark differs after each commit that journals a step and keeps the lease", async () => {
  const { runs, runId } = await setupRun("journaling");
  const markOf = async (): Promise<unknown> => {
    const [row] = await runs.database.query(
      "select queue.workflow_marks(array[$1::bigint]) as marks",
      [runId],
    );
    return JSON.stringify(row?.["marks"]);
  };
  const delivery = await runs.receiveOne();
  const seen = [await markOf()];
  for (const [journaled, step] of ["a", "b", "c"].entries()) {
    await runs.commit([{ delivery, transition: "keep", steps: [step], journaled }]);
    seen.push(await markOf());
  }
  expect(new Set(seen).size).toBe(4);
});

it("a run that does not exist has no mark", async () => {
  expect(await marks("999999")).toEqual({});
  expect(await marks()).toEqual({});
});
