import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { Runs } from "../../helpers/runs.ts";
import { value } from "../../helpers/value.ts";

const database = await createDatabase();

const call = (text: string, values: unknown[]): Promise<unknown> => value(database, text, values);
const remove = (runId: string) => call("queue.workflow_delete($1)", [runId]);

/** The tables of the schema with a row that contains the text. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await database.query(
    `select c.relname as name from pg_class as c
     where c.relnamespace = 'queue'::regnamespace and c.relkind in ('r', 'p')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query(
      `select from queue."${String(name)}" as t where t::text like '%' || $1 || '%' limit 1`,
      [text],
    );
    if (rows.length > 0) found.push(String(name));
  }
  return found;
}

/** A failed run whose values all contain the mark. */
async function failedRun(name: string, mark: string): Promise<string> {
  const runs = new Runs(database, name);
  const json = JSON.stringify({ mark });
  const [started] = await database.query(
    "select run_id from queue.workflow_start($1, $2, idempotency_key => $3, tags => $2)",
    [name, json, mark],
  );
  const runId = String(started?.["run_id"]);
  await database.query("select queue.workflow_signal($1, $2, $3, $2)", [runId, mark, json]);
  const delivery = await runs.receiveOne();
  await database.query(
    `select queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['keep'], array[null]::jsonb[],
       null, array[1], array[1], array[$4], array['run'], array[$5]::jsonb[], array[null]::jsonb[], array[1],
       array[1::float8])`,
    [name, runId, delivery.receipt, mark, json],
  );
  for (const [table, columns, values] of [
    [
      "workflow_stream_chunk",
      "position, written_at, step_name, attempt, number, chunk",
      "1, now(), $2, 1, 1, $3",
    ],
    [
      "workflow_failed_attempt",
      "failed_at, retry_at, attempt, step_name, error",
      "now(), now(), 1, $2, $3",
    ],
    ["workflow_run_state", "set_at, key, value", "now(), $2, $3"],
    [
      "captured_delivery",
      "captured_at, request_key, url, message, headers",
      "now(), $2, $2, $3, $3",
    ],
  ] as const) {
    await database.query(`insert into queue.${table} (run_id, ${columns}) values ($1, ${values})`, [
      runId,
      mark,
      json,
    ]);
  }
  await runs.commit([
    { delivery, transition: "fail", result: { name: "Error", code: "X", message: mark } },
  ]);
  return runId;
}

describe("the deletion of a run", () => {
  it("leaves nothing in any table that the run has stored", async () => {
    const mark = "ada-lovelace-1815";
    const runId = await failedRun("erased", mark);
    expect((await tablesWith(mark)).toSorted()).toEqual(
      expect.arrayContaining([
        "captured_delivery",
        "workflow_buffered_signal",
        "workflow_failed_attempt",
        "workflow_run",
        "workflow_run_state",
        "workflow_signal_receipt",
        "workflow_step",
        "workflow_stream_chunk",
      ]),
    );

    expect(await remove(runId)).toBe(true);
    expect(await tablesWith(mark)).toEqual([]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("is audited without the values of the run", async () => {
    const runId = await failedRun("audited", "secret-of-the-audit");
    await remove(runId);
    expect(
      await database.query(
        "select action, outcome, detail from queue.audit where subject_type = 'run' and subject = $1",
        [runId],
      ),
    ).toEqual([{ action: "run.delete", outcome: "changed", detail: null }]);
  });

  it("refuses a run in progress, and one that does not exist", async () => {
    const runId = await new Runs(database, "busy").start();
    expect(await remove(runId)).toBe(false);
    await expect(remove("8796093022207")).rejects.toMatchObject({ code: "OX005" });
  });

  it("takes the runs along that its steps waited for, and refuses while one is in progress", async () => {
    const parent = await failedRun("family", "parent-of-two");
    const waited = await failedRun("family", "waited-for");
    const detached = await failedRun("family", "on-its-own");
    const busy = await new Runs(database, "family-busy").start();
    const adopt = (child: string, step: string, isDetached: boolean) =>
      database.query(
        "update queue.workflow_run set parent_run_id = $2, parent_step = $3, is_detached = $4 where run_id = $1",
        [child, parent, step, isDetached],
      );
    await adopt(waited, "a", false);
    await adopt(detached, "b", true);
    await adopt(busy, "c", false);
    expect(await remove(parent)).toBe(false);

    await adopt(busy, "c", true);
    expect(await remove(parent)).toBe(true);
    const left = await database.query(
      "select run_id::text as id from queue.workflow_run where run_id = any ($1) order by run_id",
      [[parent, waited, detached, busy]],
    );
    expect(new Set(left.map(({ id }) => id))).toEqual(new Set([detached, busy]));
  });
});

it("the deletion by a filter deletes the ended runs with a tag, batch by batch, and no others", async () => {
  const ids = [];
  for (const _ of [1, 2, 3]) {
    const runId = await failedRun("tagged", `tagged-${ids.length}`);
    await call("queue.workflow_update($1, $2)", [runId, '{"person": "ada"}']);
    ids.push(runId);
  }
  const other = await failedRun("tagged", "another-person");
  const batch = async (filter: object, before: unknown, time: unknown) => {
    const [row] = await database.query("select * from queue.workflow_delete_all($1, $2, 2, $3)", [
      JSON.stringify(filter),
      before,
      time,
    ]);
    return row;
  };
  const first = await batch({ tags: { person: "ada" } }, null, null);
  expect(first).toMatchObject({ changed: 2 });
  expect(first?.["before"]).not.toBeNull();
  const last = await batch(
    { tags: { person: "ada" } },
    first?.["before"],
    first?.["before_started_at"],
  );
  expect(last).toEqual({ changed: 1, before: null, before_started_at: null });
  expect(
    await database.query(
      "select run_id::text as id from queue.workflow_run where workflow_name = 'tagged'",
    ),
  ).toEqual([{ id: other }]);
  await expect(batch({ status: "running" }, null, null)).rejects.toMatchObject({ code: "OX004" });
});

it("an update of a run replaces its tags and moves its expiry", async () => {
  const runId = await failedRun("updated", "kept-for-long");
  expect(await call("queue.workflow_update($1, $2, 1)", [runId, '{"a": 1}'])).toBe(true);
  expect(await call("queue.workflow_update($1, $2, 1)", [runId, '{"a": 1}'])).toBe(false);
  expect(
    await database.query(
      `select tags, retention_days as days, expires_at - completed_at = interval '1 day' as "isMoved"
         from queue.workflow_run where run_id = $1`,
      [runId],
    ),
  ).toEqual([{ tags: { a: 1 }, days: 1, isMoved: true }]);
  await expect(call("queue.workflow_update($1, '[]')", [runId])).rejects.toMatchObject({
    code: "OX004",
  });
  await expect(call("queue.workflow_update($1, null, -1)", [runId])).rejects.toMatchObject({
    code: "OX004",
  });
});
