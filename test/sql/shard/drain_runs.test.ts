/** The calls of a drain: runs leave for the homes of their routes, and a drained shard is no target. */
import { describe, expect, it } from "vitest";
import type { TestDatabase } from "../../helpers/database.ts";
import { routesAt, startRouted } from "../../helpers/fleet.ts";
import { move, pending } from "../../helpers/outbox.ts";
import { createReusedFleet, queuesOf } from "../../helpers/reused-fleet.ts";
import { openSession } from "../../helpers/session.ts";

const { a, b, c } = await createReusedFleet(3, queuesOf("w"));
const routes = await routesAt(a, "a");

const start = (route?: string, key?: string): Promise<string> => startRouted(a, "w", route, key);

const runsOf = async (database: TestDatabase): Promise<unknown[]> =>
  (await database.query("select run_id::text as run from queue.workflow_run order by run_id")).map(
    ({ run }) => run,
  );

describe("drain_runs", () => {
  it("moves each run to the home of its route or key, and others to the given shard", async () => {
    const [one, two = "", here = ""] = routes;
    const toB = [await start(one), await start(undefined, `${one}/7`), await start()];
    const toC = [await start(two, `${two}/7`)];
    const stays = await start(here);
    await a.query("select queue.pin_route($1, 'b')", [one]);
    await a.query("select queue.pin_route($1, 'c')", [two]);
    const [done] = await a.query("select last_run_id, moved, kept from queue.drain_runs('b')");
    expect(done).toEqual({ last_run_id: null, moved: 4, kept: 0 });
    await move(a, b, "b");
    await move(a, c, "c");
    expect(await runsOf(a)).toEqual([stays]);
    expect(await runsOf(b)).toEqual(toB);
    expect(await runsOf(c)).toEqual(toC);
  });

  it("takes as many as it may, and continues after the last", async () => {
    for (let n = 0; n < 5; n += 1) await start();
    let after: unknown = "0";
    let calls = 0;
    while (after !== null) {
      const [done] = await a.query("select * from queue.drain_runs('b', $1, max_runs => 2)", [
        after,
      ]);
      after = done?.["last_run_id"];
      calls += 1;
    }
    expect(calls).toBe(3);
    expect(await runsOf(a)).toEqual([]);
  });

  it("ends at the newest run of its first call, whatever starts in between", async () => {
    for (let n = 0; n < 3; n += 1) await start();
    const call = "select * from queue.drain_runs('b', $1, max_runs => 2, up_to => $2)";
    const [first] = await a.query(call, ["0", null]);
    const later = [await start(), await start(), await start()];
    const next = [first?.["last_run_id"], first?.["newest_run_id"]];
    expect(await a.query(call, next)).toMatchObject([
      { last_run_id: null, newest_run_id: first?.["newest_run_id"], moved: 1 },
    ]);
    expect(await runsOf(a)).toEqual(later);
  });

  it("keeps a run whose family has a route that is at home in a third shard", async () => {
    const [one, two = ""] = routes;
    const parent = await start(one);
    const child = await start(two);
    await a.query(
      "update queue.workflow_run set parent_run_id = $2, parent_step = 's', is_detached = false where run_id = $1",
      [child, parent],
    );
    await a.query("select queue.pin_route($1, 'b')", [one]);
    await a.query("select queue.pin_route($1, 'c')", [two]);
    const drained = await a.query("select moved, kept, problem from queue.drain_runs('b')");
    expect(drained).toEqual([
      {
        moved: 0,
        kept: 2,
        problem: `run ${parent} can't move: run ${child} of route "${two}" is of its family`,
      },
    ]);
    // In one shard, they may be together.
    await a.query("update queue.fleet_pin set shard = 1");
    expect(await a.query("select moved, kept from queue.drain_runs('b')")).toMatchObject([
      { kept: 0 },
    ]);
    expect(await runsOf(a)).toEqual([]);
  });

  it.each([
    ["drain_runs('a')", '"a" is this shard'],
    ["drain_runs('d')", 'knows no shard "d"'],
    ["drain_runs('b', null)", "invalid after null"],
    ["drain_runs('b', max_runs => 0)", "invalid max_runs 0"],
    ["drain_shard('d')", 'knows no shard "d"'],
    ["drain_shard('a', null)", "invalid drains null"],
  ])("and drain_shard refuse arguments: %s", async (call, message) => {
    await expect(a.query(`select * from queue.${call}`)).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringContaining(message),
    });
  });
});

describe("a drained shard", () => {
  it("is no target until that ends", async () => {
    const [route] = routes;
    const drains = (given: boolean): Promise<unknown> =>
      a.query("select queue.drain_shard('b', $1) as done", [given]);
    expect(await drains(true)).toEqual([{ done: true }]);
    expect(await drains(true)).toEqual([{ done: false }]);
    const run = await start(route);
    for (const call of [
      `pin_route('${route}', 'b')`,
      "move_slots(array[1], 'b')",
      `hand_over_run(${run}, 'b')`,
      "drain_runs('b')",
    ]) {
      await expect(a.query(`select queue.${call}`)).rejects.toMatchObject({
        code: "OX004",
        message: 'shard "b" is being drained',
      });
    }
    expect(await drains(false)).toEqual([{ done: true }]);
    await a.query("select queue.pin_route($1, 'b')", [route]);
  });

  it("gets no run that was asked for before: it stays, and continues", async () => {
    const run = await start();
    const [leased] = await a.query<{ receipt: string }>(
      "select receipt::text from queue.workflow_receive(array['w'])",
    );
    await a.query("select queue.hand_over_run($1, 'b')", [run]);
    await a.query("select queue.drain_shard('b')");
    await a.query(
      `select queue.workflow_commit(
         array['w'], array[$1::bigint], array[$2::bigint], array['release'], array['null'::jsonb], array[null::timestamptz])`,
      [run, leased?.receipt],
    );
    expect(await pending(a)).toEqual([]);
    expect(await runsOf(a)).toEqual([run]);
    const asked = await a.query("select paused_at from queue.workflow_run where run_id = $1", [
      run,
    ]);
    expect(asked).toEqual([{ paused_at: null }]);
    expect(await a.query("select from queue.departing")).toEqual([]);
  });

  it("is never the last one that takes more, also if two are marked at once", async () => {
    await a.query("select queue.drain_shard('c')");
    const [one, other] = [await openSession(a), await openSession(a)];
    await one.query("begin");
    await one.query("select queue.drain_shard('a')");
    const refused = other.query("select queue.drain_shard('b')").catch((error: unknown) => error);
    await other.isBlocked(one);
    await one.query("commit");
    expect(await refused).toMatchObject({
      code: "OX004",
      message: expect.stringContaining('no other shard than "b" would take what has no home'),
    });
    expect(await a.query("select queue.drain_shard('a') as done")).toEqual([{ done: false }]);
    await a.query("select queue.drain_shard('c', false)");
    await a.query("select queue.drain_shard('b')");
  });

  it("lists all that is in the way", async () => {
    const [route, pinned = ""] = routes;
    await a.query(`select queue.workflow_set_flow_control('w', '{"concurrency": 9}')`);
    const runs = [await start(route), await start(), await start(pinned)];
    await a.query("select queue.pin_route($1, 'a')", [pinned]);
    const obstacles = await a.query<{ run: string }>(
      "select run_id::text as run from queue.route_obstacles(null, null)",
    );
    expect(obstacles.map(({ run }) => run)).toEqual(runs);
  });
});
