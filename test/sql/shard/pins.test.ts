/** Routes that move to another shard: their home, their keys, their runs. Relays are those of the test. */
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { routesAt, startRouted } from "../../helpers/fleet.ts";
import { move } from "../../helpers/outbox.ts";
import { createReusedFleet, queuesOf } from "../../helpers/reused-fleet.ts";
import { openSession } from "../../helpers/session.ts";
import { value } from "../../helpers/value.ts";

const { a, b, c } = await createReusedFleet(3, queuesOf("moves", "others", "many"));
/** Routes that are at home in each shard. */
const routes: Record<string, string[]> = {
  a: await routesAt(a, "a"),
  b: await routesAt(a, "b"),
  c: await routesAt(a, "c"),
};

const routeOf = (shard: string, index = 0): string => routes[shard]?.[index] ?? "";

const pin = (database: TestDatabase, route: string, shard: string): Promise<unknown> =>
  value(database, "queue.pin_route($1, $2)::text", [route, shard]);

/** Repeats the call until the home has changed. */
async function pinOn(route: string, first: unknown, target = "b"): Promise<void> {
  let after = first;
  while (after !== null) {
    after = await value(a, "queue.pin_route($1, $2, $3)::text", [route, target, after]);
  }
}

const homes = (route: string): Promise<unknown[]> =>
  Promise.all([a, b, c].map((database) => value(database, "queue.home_of($1)", [route])));

const epochs = (): Promise<unknown[]> =>
  Promise.all([a, b, c].map((on) => value(on, "(select epoch::integer from queue.fleet)")));

const start = (database: TestDatabase, route: string, key?: string): Promise<string> =>
  startRouted(database, "moves", route, key);

const handOver = async (
  database: TestDatabase,
  route: string,
  target: string,
  after = "0",
): Promise<Record<string, unknown> | undefined> =>
  (
    await database.query(
      "select last_run_id, moved, asked, kept, busy, problem from queue.hand_over_route($1, null, $2, $3)",
      [route, target, after],
    )
  )[0];

const runsOf = async (database: TestDatabase): Promise<unknown[]> =>
  (
    await database.query(
      "select run_id::text as run from queue.workflow_run where workflow_name = 'moves' order by run_id",
    )
  ).map(({ run }) => run);

describe("a pin", () => {
  it("moves only the home of its route, first where it was, then where it will be", async () => {
    const route = routeOf("a");
    const other = routeOf("a", 1);
    expect(await pin(a, route, "b")).toBeNull();
    expect(await homes(route)).toEqual(["b", "a", "a"]);
    await expect(start(a, route)).rejects.toMatchObject({
      code: "OX028",
      detail: '{"home": "b", "epoch": 2, "shard": "a"}',
    });
    // In between, no shard starts its runs.
    await expect(start(b, route)).rejects.toMatchObject({
      code: "OX028",
      detail: '{"home": "a", "epoch": 1, "shard": "b"}',
    });
    await move(a, b, "b");
    await start(b, route);
    await move(a, c, "c");
    expect(await homes(route)).toEqual(["b", "b", "b"]);
    expect(await homes(other)).toEqual(["a", "a", "a"]);
    expect(await epochs()).toEqual([2, 2, 2]);
  });

  it("is repeated without an effect, and refused where the route isn't at home", async () => {
    const route = routeOf("a");
    await expect(pin(c, route, "b")).rejects.toMatchObject({
      code: "OX028",
      detail: '{"home": "a", "epoch": 1}',
    });
    await pin(a, route, "b");
    expect(await pin(a, route, "b")).toBeNull();
    await move(a, b, "b");
    expect(await pin(b, route, "b")).toBeNull();
    expect(await epochs()).toEqual([2, 2, 1]);
    await expect(pin(a, route, "d")).rejects.toMatchObject({ code: "OX004" });
    await expect(pin(a, "", "b")).rejects.toMatchObject({ code: "OX004" });
  });

  it("keeps a route where it is when its slot moves", async () => {
    const route = routeOf("a");
    expect(await pin(a, route, "a")).toBeNull();
    await a.query("select queue.move_slots(array(select generate_series(0, 1023)), 'b')");
    for (const [database, name] of [
      [b, "b"],
      [c, "c"],
    ] as const) {
      await move(a, database, name);
    }
    expect(await homes(route)).toEqual(["a", "a", "a"]);
    expect(await homes(routeOf("a", 1))).toEqual(["b", "b", "b"]);
    expect(await homes(routeOf("c"))).toEqual(["c", "c", "c"]);
  });

  it("is known by its latest move, in whichever order the moves are heard of", async () => {
    const route = routeOf("a");
    await pin(a, route, "b");
    await move(a, b, "b");
    await pin(b, route, "a");
    await move(b, c, "c");
    await move(a, c, "c");
    expect((await homes(route))[2]).toBe("a");
    await move(b, a, "a");
    expect(await homes(route)).toEqual(["a", "b", "a"].map(() => "a"));
    expect(await epochs()).toEqual([3, 3, 3]);
  });

  it("is known where its slot arrives before", async () => {
    const route = routeOf("a");
    await pin(a, route, "c");
    await a.query("select queue.move_slots(array[queue._route_slot($1)], 'c')", [route]);
    await move(a, c, "c");
    await c.query("select queue.move_slots(array[queue._route_slot($1)], 'b')", [route]);
    await move(c, b, "b");
    expect(await homes(route)).toEqual(["c", "c", "c"]);
    await expect(start(b, route)).rejects.toMatchObject({ code: "OX028" });
    await start(c, route);
    // Late, it changes nothing.
    await move(a, b, "b");
    await move(c, a, "a");
    expect(await homes(route)).toEqual(["c", "c", "c"]);
  });

  it("waits for transactions that start such runs, and is given up soon", async () => {
    const route = routeOf("a");
    const session = await a.connect();
    await session.query("begin");
    await session.query("select queue.workflow_start('moves', route => $1)", [route]);
    await expect(pin(a, route, "b")).rejects.toMatchObject({ code: "55P03" });
    await session.query("commit");
    await session.end();
    expect(await pin(a, route, "b")).toBeNull();
  });
});

it("a database that takes the place of a shard knows the moves", async () => {
  const [route, other] = [routeOf("a"), routeOf("a", 1)];
  await pin(a, route, "c");
  await a.query("select queue.move_slots(array[queue._route_slot($1)], 'b')", [other]);
  const replacement = await createDatabase();
  const [row] = await a.query("select queue.fleet_map() - 'own' as map");
  await replacement.query("select queue.join_fleet('b', $1)", [JSON.stringify(row?.["map"])]);
  const known = "select queue.fleet_map() - 'own' as map";
  expect(await replacement.query(known)).toEqual([row]);
  expect(
    await replacement.query("select queue.home_of($1) as one, queue.home_of($2) as other", [
      route,
      other,
    ]),
  ).toEqual([{ one: "c", other: "b" }]);
});

it("moves at once give a route away once", async () => {
  const route = routeOf("a");
  const [first, second] = [await openSession(a), await openSession(a)];
  await first.query("begin");
  // The second looks where the route is at home, and waits before it asks for locks.
  await first.query("lock table queue.workflow_run in access exclusive mode");
  const late = second
    .query("select queue.pin_route($1, 'c')", [route])
    .catch((error: unknown) => error);
  await second.isBlocked(first);
  await first.query("select queue.pin_route($1, 'b')", [route]);
  await first.query("commit");
  expect(await late).toMatchObject({ code: "OX028", detail: '{"home": "b", "epoch": 2}' });
  expect((await homes(route))[0]).toBe("b");
  expect((await epochs())[0]).toBe(2);
});

describe("a snapshot that is older than a move", () => {
  it("starts no run", async () => {
    const route = routeOf("a");
    const session = await a.connect();
    await session.query("begin isolation level repeatable read");
    await session.query("select");
    await pin(a, route, "b");
    await expect(
      session.query("select queue.workflow_start('moves', route => $1)", [route]),
    ).rejects.toMatchObject({ code: "40001" });
    await session.end();
    expect(await runsOf(a)).toEqual([]);
  });

  it("starts runs while the map is its own, and waits for no one", async () => {
    const route = routeOf("a");
    const session = await a.connect();
    await session.query("begin isolation level repeatable read");
    await session.query("select queue.workflow_start('moves', route => $1)", [route]);
    // Its row of the map is free again.
    expect(await a.query("select from queue.fleet for update skip locked")).toHaveLength(1);
    await session.query("commit");
    await session.end();
    expect(await runsOf(a)).toHaveLength(1);
  });

  it("moves no route", async () => {
    const session = await a.connect();
    await session.query("begin isolation level repeatable read");
    await expect(
      session.query("select queue.pin_route($1, 'b')", [routeOf("a")]),
    ).rejects.toMatchObject({ code: "OX004", message: expect.stringContaining("repeatable read") });
    await session.end();
  });
});

describe("a key", () => {
  it("leads from the new home to its run, before and after that has moved", async () => {
    const route = routeOf("a");
    const key = `${route}/1`;
    const run = await start(a, route, key);
    await pin(a, route, "b");
    await move(a, b, "b");
    await expect(start(b, route, key)).rejects.toMatchObject({
      code: "OX029",
      detail: `{"runId": "${run}", "shard": "a"}`,
    });
    // A client follows it.
    const follow = await a.query(
      "select run_id::text as run, created from queue.workflow_start('moves', route => $1, idempotency_key => $2, follows_key => true)",
      [route, key],
    );
    expect(follow).toEqual([{ run, created: false }]);
    expect(await handOver(a, route, "b")).toMatchObject({ moved: 1, last_run_id: null });
    await expect(start(b, route, key)).rejects.toMatchObject({ code: "OX029" });
    await move(a, b, "b");
    expect(await start(b, route, key)).toBe(run);
    expect(await runsOf(a)).toEqual([]);
    expect(await runsOf(b)).toEqual([run]);
  });

  it("whose run has left before goes along", async () => {
    const route = routeOf("a");
    const key = `${route}/1`;
    const run = await start(a, route, key);
    await a.query("select queue.hand_over_run($1, 'c')", [run]);
    await move(a, c, "c");
    await pin(a, route, "b");
    await move(a, b, "b");
    await expect(start(b, route, key)).rejects.toMatchObject({
      code: "OX029",
      detail: `{"runId": "${run}", "shard": "c"}`,
    });
  });

  it("whose run is on its way to a third shard leads there behind it", async () => {
    const route = routeOf("a");
    const key = `${route}/1`;
    const run = await start(a, route, key);
    await a.query("select queue.hand_over_run($1, 'b')", [run]);
    await pin(a, route, "c");
    await move(a, c, "c");
    // At b, a start that follows the key would create another run: it has not heard of the key.
    await expect(start(c, route, key)).rejects.toMatchObject({
      code: "OX029",
      detail: `{"runId": "${run}", "shard": "a"}`,
    });
    await c.query(
      "select queue._forward_start(jsonb_build_object('workflow', 'moves', 'route', $1::text, 'key', $2::text))",
      [route, key],
    );
    await move(c, a, "a");
    await move(a, b, "b");
    expect(await runsOf(b)).toEqual([run]);
  });

  it.each(["and had heard of the pin before", "and had heard of nothing"])(
    "comes before its route where the slot arrives from a third shard, %s",
    async (what) => {
      const route = routeOf("b");
      const key = `${route}/1`;
      const slot = Number(
        (await b.query("select queue._route_slot($1) as slot", [route]))[0]?.["slot"],
      );
      await pin(b, route, "b");
      await b.query("select queue.move_slots($1, 'a')", [[slot]]);
      if (what === "and had heard of the pin before") await move(b, c, "c");
      const run = await start(b, route, key);
      await pin(b, route, "c");
      await move(b, a, "a");
      await a.query("select queue.move_slots($1, 'c')", [[slot]]);
      await move(a, c, "c");
      await expect(start(c, route, key)).rejects.toMatchObject({ code: "OX028" });
      await move(b, c, "c");
      await expect(start(c, route, key)).rejects.toMatchObject({
        code: "OX029",
        detail: `{"runId": "${run}", "shard": "b"}`,
      });
      expect(await homes(route)).toEqual(["c", "c", "c"]);
    },
  );

  it("of a run that arrives while keys are sent goes along", async () => {
    const route = routeOf("a");
    const key = `${route}/1`;
    const run = await start(a, route, key);
    await a.query("select queue.hand_over_run($1, 'c')", [run]);
    await move(a, c, "c");
    await a.query(
      "select count(*) from queue.workflow_start_batch('others', array_fill(null::jsonb, array[3000]))",
    );
    expect(await pin(a, route, "b")).toBe("0");
    const after = await pin(a, route, "b");
    expect(BigInt(String(after))).toBeGreaterThan(BigInt(run));
    await c.query("select queue.hand_over_run($1, 'a')", [run]);
    await move(c, a, "a");
    await pinOn(route, after);
    expect(await a.query("select from queue.leaving_home")).toEqual([]);
    await move(a, b, "b");
    await expect(start(b, route, key)).rejects.toMatchObject({
      code: "OX029",
      detail: `{"runId": "${run}", "shard": "a"}`,
    });
  });

  it("goes along also if the first call is left out", async () => {
    const route = routeOf("a");
    const key = `${route}/1`;
    const run = await start(a, route, key);
    expect(
      await a.query("select queue.pin_route($1, 'b', $2)::integer as after", [route, run]),
    ).toEqual([{ after: 0 }]);
    await pinOn(route, "0");
    await move(a, b, "b");
    await expect(start(b, route, key)).rejects.toMatchObject({ code: "OX029" });
  });

  it("without a route, of a run from before routes were kept, goes along", async () => {
    const route = routeOf("a");
    const key = `${route}/1`;
    const run = await start(a, route, key);
    await a.query("update queue.workflow_run set route = null where run_id = $1", [run]);
    await pin(a, route, "b");
    await move(a, b, "b");
    await expect(start(b, route, key)).rejects.toMatchObject({ code: "OX029" });
    expect(await handOver(a, route, "b")).toMatchObject({ moved: 1 });
  });

  it.each(["pin_route", "move_slots"])(
    "is not overtaken by a third shard that calls %s for a home that it has heard of",
    async (name) => {
      const route = routeOf("a");
      const key = `${route}/1`;
      const run = await start(a, route, key);
      const what = name === "pin_route" ? "$1" : "array[queue._route_slot($1)]";
      await a.query(`select queue.${name}(${what}, 'b')`, [route]);
      // The other way stands still.
      await move(a, c, "c");
      await c.query(`select queue.${name}(${what}, 'b')`, [route]);
      await move(c, b, "b");
      expect(await homes(route)).toEqual(["b", "a", "b"]);
      await move(a, b, "b");
      await expect(start(b, route, key)).rejects.toMatchObject({
        code: "OX029",
        detail: `{"runId": "${run}", "shard": "a"}`,
      });
    },
  );

  it("does not come again, and the home does, where a third shard has to inform the target", async () => {
    const route = routeOf("a");
    await pin(a, route, "b");
    await move(a, c, "c");
    await move(a, b, "b");
    await b.query("delete from queue.fleet_pin");
    await c.query("select queue.pin_route($1, 'b', informs_shard => true)", [route]);
    await move(c, b, "b");
    expect(await homes(route)).toEqual(["b", "b", "b"]);
  });

  it("of a run whose id is lower than those before goes along", async () => {
    const route = routeOf("a");
    // Each session has ids of its own in stock.
    const early = await openSession(a);
    await early.query("select queue.workflow_start('others')");
    await a.query(
      "select count(*) from queue.workflow_start_batch('many', array_fill('{}'::jsonb, array[1001]))",
    );
    let after = await pin(a, route, "b");
    expect(after).toBe("0");
    const [sent] = await a.query<{ after: string }>(
      "select queue.pin_route($1, 'b', 0)::text as after",
      [route],
    );
    after = sent?.after;
    const [begun] = await early.query<{ run: string }>(
      "select run_id::text as run from queue.workflow_start('moves', route => $1, idempotency_key => $1 || '/1')",
      [route],
    );
    expect(Number(begun?.run)).toBeLessThan(Number(after));
    await pinOn(route, after);
    await move(a, b, "b");
    await expect(start(b, route, `${route}/1`)).rejects.toMatchObject({
      code: "OX029",
      detail: `{"runId": "${begun?.run}", "shard": "a"}`,
    });
  });

  it("of many runs goes in several calls", async () => {
    const route = routeOf("a");
    await a.query(
      `select count(*) from queue.workflow_start_batch('moves', array_fill(null::jsonb, array[12000]),
         idempotency_keys => array(select $1 || '/' || n from generate_series(1, 12000) as n),
         routes => array_fill($1::text, array[12000]))`,
      [route],
    );
    const after = await pin(a, route, "b");
    expect(after).not.toBeNull();
    // A run that starts in between.
    await start(a, route, `${route}/late`);
    await pinOn(route, after);
    await move(a, b, "b");
    const keys = await b.query("select count(*)::integer as keys from queue.key_elsewhere");
    expect(keys).toEqual([{ keys: 12_001 }]);
  });
});

describe("runs of a route", () => {
  it("move where it is at home, ended ones as well, and others stay", async () => {
    const [route, other] = [routeOf("a"), routeOf("a", 1)];
    const runs = [await start(a, route), await start(a, route, `${route}/1`)];
    const stays = await start(a, other);
    const cancelled = await start(a, route);
    await a.query("select queue.workflow_cancel($1)", [cancelled]);
    await expect(handOver(a, route, "b")).rejects.toMatchObject({ code: "OX004" });
    await pin(a, route, "b");
    expect(await handOver(a, route, "b")).toEqual({
      last_run_id: null,
      moved: 3,
      asked: 0,
      kept: 0,
      busy: 0,
      problem: null,
    });
    await move(a, b, "b");
    expect(await runsOf(a)).toEqual([stays]);
    expect(await runsOf(b)).toEqual([...runs, cancelled].toSorted());
    expect(await b.query("select distinct route from queue.workflow_run")).toEqual([{ route }]);
    for (const database of [a, b]) {
      expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
    }
  });

  it("stay if they can't move, which is known before anything moves", async () => {
    const route = routeOf("a");
    const run = await start(a, route);
    await a.query(`select queue.workflow_set_flow_control('moves', '{"concurrency": 2}')`);
    const obstacles = await a.query(
      "select run_id::text as run, problem from queue.route_obstacles($1, null)",
      [route],
    );
    expect(obstacles).toEqual([{ run, problem: "its workflow has flow control" }]);
    await pin(a, route, "b");
    expect(await handOver(a, route, "b")).toMatchObject({
      moved: 0,
      kept: 1,
      problem: `run ${run} can't move: its workflow has flow control`,
    });
  });

  it("stay with a run of another route that has invoked them", async () => {
    const [route, other] = [routeOf("a"), routeOf("a", 1)];
    const run = await start(a, route);
    const parent = await start(a, other);
    await a.query(
      "update queue.workflow_run set parent_run_id = $2, parent_step = 's', is_detached = false where run_id = $1",
      [run, parent],
    );
    await pin(a, route, "b");
    expect(await handOver(a, route, "b")).toMatchObject({
      kept: 1,
      problem: `run ${run} can't move: run ${parent} of route "${other}" is of its family`,
    });
  });

  it("of slots move, but for those of pinned routes", async () => {
    const [route, pinned] = [routeOf("a"), routeOf("a", 1)];
    const run = await start(a, route);
    const stays = await start(a, pinned);
    await pin(a, pinned, "a");
    await a.query("select queue.move_slots(array(select generate_series(0, 1023)), 'b')");
    const slots = await a.query(
      `select moved, kept from queue.hand_over_route(null, array(select slot from queue.fleet_slot), 'b')`,
    );
    expect(slots).toEqual([{ moved: 1, kept: 0 }]);
    await move(a, b, "b");
    expect(await runsOf(a)).toEqual([stays]);
    expect(await runsOf(b)).toEqual([run]);
  });
});
