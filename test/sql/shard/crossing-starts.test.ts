/** Starts of runs whose routes are at home in another shard. */
import { describe, expect, it } from "vitest";
import type { TestDatabase } from "../../helpers/database.ts";
import { createFleet } from "../../helpers/fleet.ts";
import { acceptOnly, move, pending } from "../../helpers/outbox.ts";

const routes: Record<string, string> = {};

const { a, b } = (await createFleet()).databases;
const homes = await a.query<{ route: string; home: string }>(
  "select 'r' || n as route, queue.home_of('r' || n) as home from generate_series(1, 40) as n",
);
for (const { route, home } of homes) routes[home] = route;

const ELSEWHERE = "select run_id::text, created from queue.workflow_start_elsewhere";

const runsOf = async (database: TestDatabase, workflow: string): Promise<unknown[]> =>
  database.query(
    "select input, idempotency_key as key, tags from queue.workflow_run where workflow_name = $1 order by run_id",
    [workflow],
  );

describe("a start elsewhere", () => {
  it("is written by its transaction, and starts one run when it is moved, however often", async () => {
    const session = await a.connect();
    await session.query("begin");
    await session.query(`${ELSEWHERE}($1, 'once')`, [routes["b"]]);
    await session.query("rollback");
    expect(await pending(a)).toEqual([]);

    const { rows } = await session.query(
      `${ELSEWHERE}($1, 'once', '{"n": null}', tags => '{"t": null}', delay_seconds => 60)`,
      [routes["b"]],
    );
    expect(rows).toEqual([{ run_id: null, created: null }]);
    await acceptOnly(a, b, "b");
    expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
    expect(await runsOf(a, "once")).toEqual([]);
    expect(await runsOf(b, "once")).toEqual([{ input: { n: null }, key: null, tags: { t: null } }]);
    const delay =
      "select extract(epoch from visible_at - enqueued_at)::integer as seconds from queue.workflow_continuation";
    expect(await b.query(delay)).toEqual([{ seconds: 60 }]);
  });

  it("is here if its route is", async () => {
    const [started] = await a.query(`${ELSEWHERE}($1, 'here')`, [routes["a"]]);
    expect(started).toMatchObject({ created: true });
    expect(await pending(a)).toEqual([]);
    expect(await runsOf(a, "here")).toHaveLength(1);
  });

  it("leads to the run that has its key", async () => {
    const key = `${routes["b"]}/7`;
    await a.query(`${ELSEWHERE}($1, 'keyed', '1', idempotency_key => $2)`, [routes["b"], key]);
    await b.query("select queue.workflow_start('keyed', '2', idempotency_key => $1)", [key]);
    await a.query(`${ELSEWHERE}($1, 'keyed', '3', idempotency_key => $2)`, [routes["b"], key]);
    expect((await move(a, b, "b")).outcomes).toEqual(["ok", "ok"]);
    expect(await runsOf(b, "keyed")).toEqual([{ input: 2, key, tags: null }]);
    await a.query(
      `${ELSEWHERE}($1, 'keyed', '4', idempotency_key => $2, on_running => 'cancel-existing')`,
      [routes["b"], key],
    );
    await move(a, b, "b");
    expect(
      await b.query(
        "select input, status::text from queue.workflow_run where workflow_name = 'keyed' order by run_id",
      ),
    ).toEqual([
      { input: 2, status: "cancelled" },
      { input: 4, status: "running" },
    ]);
  });

  it("locks the run whose key it takes over, before anything else", async () => {
    await b.query("select queue.workflow_start('held', idempotency_key => 'held')");
    const session = await b.connect();
    await session.query("begin");
    await session.query(
      `select queue._lock_reached_runs(array['start'],
         array['{"workflow": "held", "key": "held", "onRunning": "cancel-existing"}'::jsonb])`,
    );
    const free = `select from queue.workflow_continuation as m join queue.workflow_run as r on r.run_id = m.msg_id
      where r.workflow_name = 'held' for no key update of m skip locked`;
    expect(await b.query(free)).toEqual([]);
    await session.query("rollback");
    await session.end();
    expect(await b.query(free)).toHaveLength(1);
  });

  it("follows its key to the shard that the run has moved to", async () => {
    const key = `${routes["b"]}/8`;
    const start = (input: string): Promise<unknown> =>
      a.query(`${ELSEWHERE}($1, 'moving', $3::jsonb, idempotency_key => $2)`, [
        routes["b"],
        key,
        input,
      ]);
    await start("1");
    await move(a, b, "b");
    await b.query(
      "select queue.hand_over_run(run_id, 'a') from queue.workflow_run where workflow_name = 'moving'",
    );
    await a.query(`${ELSEWHERE}($1, 'beside')`, [routes["b"]]);
    await start("2");
    expect(await move(a, b, "b")).toMatchObject({ outcomes: ["ok", "ok"], problems: [null, null] });
    expect((await move(b, a, "a")).outcomes).toEqual(["ok", "ok"]);
    expect(await runsOf(b, "beside")).toHaveLength(1);
    expect(await runsOf(b, "moving")).toEqual([]);
    expect(await runsOf(a, "moving")).toEqual([{ input: 1, key, tags: null }]);
  });

  it.each([
    ["an invalid name", "'No Name'", "OX003"],
    ["an invalid version", "'checked', version => 0", "OX004"],
    [
      "a failure that nobody would see",
      "'checked', on_running => 'fail', idempotency_key => 'k'",
      "OX004",
    ],
  ])("is refused immediately for %s", async (_, rest, code) => {
    await expect(a.query(`${ELSEWHERE}($1, ${rest})`, [routes["b"]])).rejects.toMatchObject({
      code,
    });
    await expect(a.query(`${ELSEWHERE}('', 'checked')`)).rejects.toMatchObject({ code: "OX004" });
    expect(await pending(a)).toEqual([]);
  });
});

it("a start that shards send each other in a circle is rejected, and doesn't stop those behind it", async () => {
  const route = routes["b"];
  const key = `${route}/circle`;
  await b.query("select queue.workflow_start('circled', route => $1, idempotency_key => $2)", [
    route,
    key,
  ]);
  await b.query(
    "select queue.hand_over_run(run_id, 'a') from queue.workflow_run where workflow_name = 'circled'",
  );
  await a.query(
    `insert into queue.outbox (created_at, target, kind, body)
     select clock_timestamp(), 1, 'start', i.body
     from unnest(array[
       jsonb_build_object('workflow', 'circled', 'route', $1::text, 'key', $2::text, 'hops', 16),
       jsonb_build_object('workflow', 'behind', 'route', $1::text)
     ]) as i (body)`,
    [route, key],
  );
  expect(await move(a, b, "b")).toMatchObject({
    outcomes: ["rejected", "ok"],
    problems: [expect.stringContaining("shards contradict each other about key"), null],
  });
  expect(await runsOf(b, "behind")).toHaveLength(1);
  // Repeated, it is as new.
  await a.query("select queue.outbox_repeat()");
  expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
  expect((await move(b, a, "a")).outcomes).toEqual(["ok", "ok"]);
  expect(await runsOf(a, "circled")).toHaveLength(1);
});
