import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { documentOf, newDefinitionName, publishedDefinition } from "../../helpers/definitions.ts";
import { type Delivery, Runs } from "../../helpers/runs.ts";
import { openTransaction } from "../../helpers/session.ts";
import { value } from "../../helpers/value.ts";

const database = await createDatabase();

const start = (name: string, deadline: string | null, delay = 0): Promise<string> =>
  value(
    database,
    "(queue.workflow_start($1, '1', delay_seconds => $3, deadline => clock_timestamp() + $2::interval)).run_id",
    [name, deadline, delay],
  );
const expire = (max = 100): Promise<unknown> => value(database, "queue.workflow_expire($1)", [max]);
const statusOf = (runId: string): Promise<unknown> =>
  value(database, "(select status::text from queue.workflow_run where run_id = $1)", [runId]);

it("fails what is overdue, and nothing else", async () => {
  const overdue = await start("mixed", "-1 minute");
  const delayed = await start("mixed", "-1 minute", 3600);
  const later = await start("mixed", "1 hour");
  const never = await start("mixed", null);
  expect(await expire()).toBe(2);
  expect(await Promise.all([overdue, delayed, later, never].map(statusOf))).toEqual([
    "failed",
    "failed",
    "running",
    "running",
  ]);
  const [row] = await database.query("select error from queue.workflow_run where run_id = $1", [
    overdue,
  ]);
  expect(row?.["error"]).toMatchObject({ name: "DeadlineExceeded", code: "DEADLINE_EXCEEDED" });
  expect(await expire()).toBe(0);
});

it("ends as many as it is asked for, the earliest first", async () => {
  const second = await start("bounded", "-1 minute");
  const first = await start("bounded", "-2 minutes");
  expect(await expire(1)).toBe(1);
  expect(await Promise.all([first, second].map(statusOf))).toEqual(["failed", "running"]);
  expect(await expire(1)).toBe(1);
  await expect(expire(0)).rejects.toMatchObject({ code: "OX004" });
});

it("leaves a worker a moment to end its run itself", async () => {
  const run = await start("leased", "150 milliseconds");
  await database.query("select from queue.workflow_receive(array['leased'])");
  await database.query("select pg_sleep(0.2)");
  const [{ early } = { early: undefined }] = await database.query(
    `select clock_timestamp() < deadline + interval '250 milliseconds' as early, queue.workflow_expire() as ended
     from queue.workflow_run where run_id = $1`,
    [run],
  );
  // A machine that is too busy to ask in time shows nothing.
  expect(early !== true || (await statusOf(run)) === "running").toBe(true);
  await database.query("select pg_sleep(0.5)");
  await expire();
  expect(await statusOf(run)).toBe("failed");
});

/** A run with children whose deadline has passed. */
async function startFamily(name: string, children: number): Promise<string> {
  const parent = await start(name, null);
  const [delivery] = await database.query(
    "select run_id, receipt from queue.workflow_receive(array[$1])",
    [name],
  );
  const steps = Array.from({ length: children }, (_, at) => `child-${at}`);
  const waiting = {
    waits: steps.map((step) => ({ kind: "invoke", step })),
    retries: [],
    journaled: 0,
  };
  await database.query(
    `select from queue.workflow_commit(
       array[$1], array[$2::bigint], array[$3::bigint], array['suspend'], array[$4::jsonb], array[null::timestamptz],
       effect_items => array_fill(1, array[$6::integer]), effect_kinds => array_fill('invoke'::text, array[$6::integer]), effect_steps => $5,
       effect_targets => array_fill('child'::text, array[$6::integer]), effect_events => array_fill(null::text, array[$6::integer]),
       effect_values => array_fill('1'::jsonb, array[$6::integer]), effect_versions => array_fill(1, array[$6::integer]),
       effect_retention => array_fill(30, array[$6::integer]))`,
    [name, delivery?.["run_id"], delivery?.["receipt"], JSON.stringify(waiting), steps, children],
  );
  // Nothing gives a child a deadline so far.
  await database.query(
    "update queue.workflow_run set deadline = clock_timestamp() - interval '1 minute' where parent_run_id = $1",
    [parent],
  );
  return parent;
}

it("waits for no lock: neither for that of a run nor for that of its parent", async () => {
  const parent = await startFamily("family", 1);
  const held = await start("held", "-1 minute");
  const session = await openTransaction(database);
  await session.query(
    "select from queue.workflow_continuation where msg_id = any ($1) for update",
    [[parent, held]],
  );
  expect(await expire()).toBe(0);
  await session.query("rollback");
  expect(await expire()).toBe(2);
  expect(
    await database.query("select error ->> 'code' as code from queue.workflow_journal($1)", [
      parent,
    ]),
  ).toEqual([{ code: "DEADLINE_EXCEEDED" }]);
});

it("ends runs behind many children of a run that is locked", async () => {
  const parent = await startFamily("crowd", 3);
  const later = await start("behind", "-1 second");
  const session = await openTransaction(database);
  await session.query("select from queue.workflow_continuation where msg_id = $1 for update", [
    parent,
  ]);
  expect(await expire(2)).toBe(1);
  expect(await statusOf(later)).toBe("failed");
  await session.query("rollback");
  expect(await expire()).toBe(3);
});

it("spares a run whose deadline was lifted, since it was cancelled with rollback", async () => {
  const run = await start("rolled-back", "200 milliseconds");
  await database.query("select queue.workflow_cancel($1, 'no more', rollback => true)", [run]);
  await database.query("select pg_sleep(0.3)");
  await expire();
  expect(await statusOf(run)).not.toBe("failed");
});

it("fails runs whose failure handler is archived, and others, as commits and receives do", async () => {
  const handler = newDefinitionName();
  const runs = new Runs(database, "handled");
  await publishedDefinition(database, documentOf(handler));
  await database.query(
    "select queue.workflow_register('{handled}', '{1}', on_failure => array[$1])",
    [handler],
  );
  const handled = (): Promise<unknown> =>
    value(database, "queue.workflow_count(jsonb_build_object('name', $1::text))", [handler]);
  await start("handled", "-1 minute");
  expect(await expire()).toBe(1);
  expect(await handled()).toBe("1");

  await database.query("select queue.definition_archive($1)", [handler]);
  const overdue = await start("handled", "-2 minutes");
  const other = await start("other", "-1 minute");
  expect(await expire()).toBe(2);
  expect(await Promise.all([overdue, other].map(statusOf))).toEqual(["failed", "failed"]);
  const [failing, received] = [await start("handled", null), await start("handled", "1 hour")];
  const [delivery] = await runs.receive();
  await runs.commit([{ delivery: delivery as Delivery, transition: "fail", result: {} }]);
  await database.query(
    "update queue.workflow_run set deadline = started_at where run_id = $1 and status = 'running'",
    [received],
  );
  await runs.endLeases();
  expect(await runs.receive()).toEqual([]);
  expect(await Promise.all([failing, received].map(statusOf))).toEqual(["failed", "failed"]);
  expect(await handled()).toBe("1");
});

it("does nothing in a copy that is held", async () => {
  const copy = await createDatabase();
  await copy.query(
    "select queue.workflow_start('copied', '1', deadline => clock_timestamp() - interval '1 minute')",
  );
  await copy.query("select queue.hold_incarnation('a copy')");
  const rows = await copy.query("select queue.workflow_expire() as n");
  expect(rows).toEqual([{ n: 0 }]);
});

it("leaves nothing wrong", async () => {
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});
