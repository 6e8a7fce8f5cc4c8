/** Runs and schedules that were on their way while shards were upgraded: an older release has packed their rows. */
import { describe, expect, it } from "vitest";
import type { TestDatabase } from "../../helpers/database.ts";
import { createFleet, routesAt } from "../../helpers/fleet.ts";
import { move } from "../../helpers/outbox.ts";
import { createSchedule, receiveTick, schedule } from "../../helpers/schedules.ts";

const { a, b } = (await createFleet()).databases;
// As migrations do that b has, and the release of a does not know.
for (const table of [...(await tables()), "schedule"]) {
  await b.query(`alter table queue.${table} add column dropped text`);
  await b.query(`alter table queue.${table} drop column dropped, add column later_null text,
      add column later_text text not null default 'a, "b"', add column later_number integer default 7`);
}

const added = { later_null: null, later_text: 'a, "b"', later_number: 7 };

async function tables(): Promise<string[]> {
  const rows = await a.query<{ name: string }>(
    "select table_name as name from queue._run_tables()",
  );
  return rows.map(({ name }) => name);
}

/** Makes the items on their way from a database those of another release. */
const packedBy = (database: TestDatabase, state: string): Promise<unknown> =>
  database.query(
    `update queue.outbox set body = body || jsonb_build_object('state', $1::text)
     where delivered_at is null and body ? 'state'`,
    [state],
  );

async function start(database: TestDatabase, key?: string): Promise<string> {
  const [row] = await database.query<{ run: string }>(
    `select run_id::text as run
     from queue.workflow_start('moved', $1::jsonb, idempotency_key => $2)`,
    [JSON.stringify({ text: 'é "\\, (x)\n""', nothing: null }), key ?? null],
  );
  return row?.run ?? "";
}

/** The rows of a run by table, without those that depend on the database. */
async function rowsOf(database: TestDatabase, run: string): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const table of await tables()) {
    const column = table === "workflow_continuation" ? "msg_id" : "run_id";
    const rows = await database.query<{ row: unknown }>(
      `select to_jsonb(t) - array['queue_id', 'visible_at', 'signal_id'] as row
       from queue.${table} as t where ${column} = $1 order by t`,
      [run],
    );
    found[table] = rows.map(({ row }) => row);
  }
  return found;
}

const has = async (database: TestDatabase, run: string): Promise<boolean> =>
  (await database.query("select from queue.workflow_run where run_id = $1", [run])).length === 1;

describe("a run that an older release has sent", () => {
  it("arrives with the columns that were added since", async () => {
    const run = await start(a, "of/an-older-release");
    await a.query(
      `insert into queue.workflow_step (run_id, started_at, completed_at, position, attempts, step_name, kind, output)
         values ($1, now(), now(), 1, 1, 'one, "two"', 'run', '["a,b", null]'), ($1, now(), now(), 2, 1, '', 'run', null)`,
      [run],
    );
    for (const payload of [1, 2]) {
      await a.query("select queue.workflow_signal($1, 'go', to_jsonb($2::integer))", [
        run,
        payload,
      ]);
    }
    const before = await rowsOf(a, run);
    await a.query("select queue.hand_over_run($1, 'b')", [run]);
    await packedBy(a, "state_0056");
    expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
    const expected = Object.entries(before).map(([table, rows]) => [
      table,
      rows.map((row) => ({ ...(row as object), ...added })),
    ]);
    expect(await rowsOf(b, run)).toEqual(Object.fromEntries(expected));
    const [received] = await b.query<{ run: string }>(
      "select run_id::text as run from queue.workflow_receive(array['moved'])",
    );
    expect(received?.run).toBe(run);
  });

  it("returns to a shard of that release if it can't be here", async () => {
    const run = await start(a, "both");
    await start(b, "both");
    const before = await rowsOf(a, run);
    await a.query("select queue.hand_over_run($1, 'b')", [run]);
    await packedBy(a, "state_0056");
    expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
    expect(await has(b, run)).toBe(false);
    expect((await move(b, a, "a")).outcomes).toEqual(["ok"]);
    expect(await rowsOf(a, run)).toEqual(before);
  });
});

it("a schedule that an older release has sent arrives with the columns that were added since", async () => {
  const [home] = await routesAt(a, "a");
  const name = `${home}/nightly`;
  await createSchedule(a, { name, workflow: "w", cron: "* * * * *", input: { text: 'a, "b"' } });
  const before = await schedule(a, name);
  await a.query("select queue.pin_route($1, 'b')", [home]);
  await packedBy(a, "state_0057");
  await move(a, b, "b");
  expect(await schedule(b, name)).toEqual(before);
  expect(await b.query("select later_null, later_text, later_number from queue.schedule")).toEqual([
    added,
  ]);
  expect(await receiveTick(b)).toBeDefined();
});

it("what a newer release has sent waits for the upgrade, and so does what follows", async () => {
  const run = await start(a);
  await a.query("select queue.hand_over_run($1, 'b')", [run]);
  await a.query("select queue.workflow_signal($1, 'go', '1')", [run]);
  await packedBy(a, "state_9999");
  await expect(move(a, b, "b")).rejects.toMatchObject({
    code: "OX006",
    message: `run ${run} comes from a shard of a newer release`,
  });
  expect(await has(b, run)).toBe(false);
  // This b has more columns than its release.
  await packedBy(a, "state_0056");
  expect((await move(a, b, "b")).outcomes).toEqual(["ok", "ok"]);
  expect(await has(b, run)).toBe(true);
});
