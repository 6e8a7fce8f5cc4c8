/** Homes of routes, which shards send each other: invalid ones, and repeated ones. Relays are those of the test. */
import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { routesAt, startRouted } from "../../helpers/fleet.ts";
import { move } from "../../helpers/outbox.ts";
import { createReusedFleet, queuesOf } from "../../helpers/reused-fleet.ts";
import { openTransaction } from "../../helpers/session.ts";
import { value } from "../../helpers/value.ts";

const { a, b, c } = await createReusedFleet(3, queuesOf("moves"));
/** At home in "a". */
const routes = await routesAt(a, "a");

const pin = (database: TestDatabase, route: string, shard: string): Promise<unknown> =>
  value(database, "queue.pin_route($1, $2)::text", [route, shard]);

const homes = (route: string): Promise<unknown[]> =>
  Promise.all([a, b, c].map((database) => value(database, "queue.home_of($1)", [route])));

const start = (route: string | null, key?: string): Promise<string> =>
  startRouted(a, "moves", route, key);

const ALL_SLOTS = "array(select generate_series(0, 1023))";

describe("a pin", () => {
  it("is refused where the slot of its route is at home elsewhere, also in the target", async () => {
    const [route] = routes;
    await a.query(`select queue.move_slots(${ALL_SLOTS}, 'b')`);
    await expect(pin(a, route, "b")).rejects.toMatchObject({
      code: "OX028",
      detail: '{"home": "b", "epoch": 2}',
    });
    await move(a, b, "b");
    expect(await pin(b, route, "b")).toBeNull();
    expect(await b.query("select route from queue.fleet_pin")).toEqual([{ route }]);
  });

  it("that waits for an open transaction names its process", async () => {
    const [route] = routes;
    const session = await openTransaction(a);
    await session.query("select queue.workflow_start('moves', route => $1)", [route]);
    await expect(pin(a, route, "b")).rejects.toMatchObject({
      code: "55P03",
      message: expect.stringContaining(`of the processes ${session.pid}`),
    });
    await session.query("commit");
  });

  it("that is repeated reaches a shard that has forgotten it, as a restored one has", async () => {
    const [route, other = ""] = routes;
    await pin(a, route, "b");
    await a.query("select queue.move_slots(array[queue._route_slot($1)], 'c')", [other]);
    for (const [database, name] of [
      [b, "b"],
      [c, "c"],
    ] as const) {
      await move(a, database, name);
      await database.query("delete from queue.fleet_pin");
      await database.query("delete from queue.fleet_slot");
    }
    expect(await homes(route)).toEqual(["b", "a", "a"]);
    await a.query("select queue.pin_route($1, 'b', informs_shard => true)", [route]);
    await a.query(
      "select queue.move_slots(array[queue._route_slot($1)], 'c', informs_shard => true)",
      [other],
    );
    await move(a, b, "b");
    await move(a, c, "c");
    expect(await homes(route)).toEqual(["b", "b", "b"]);
    expect(await homes(other)).toEqual(["c", "c", "c"]);
  });
});

describe("an item of a home", () => {
  it.each([
    ["of no shard", { route: "r", shard: 9, epoch: 5 }, "shard 9"],
    ["without a version", { route: "r", shard: 0 }, "version null"],
    ["of no slot", { slots: [1024], shard: 0, epoch: 5 }, "shard 0"],
    ["with a pin to no shard", { slots: [1], shard: 0, epoch: 5, pins: [["r", 7, 5]] }, "shard 7"],
  ])("%s is rejected, and changes nothing", async (_, body, message) => {
    await a.query(
      "insert into queue.outbox (created_at, target, kind, body) values (clock_timestamp(), 1, 'home', $1)",
      [JSON.stringify(body)],
    );
    const before = await b.query("select queue.fleet_map() as map");
    expect(await move(a, b, "b")).toMatchObject({
      outcomes: ["rejected"],
      problems: [expect.stringContaining(message)],
    });
    expect(await b.query("select queue.fleet_map() as map")).toEqual(before);
  });
});

describe("runs of slots", () => {
  it("stay if their key has a pinned route, as runs from before routes were kept", async () => {
    const [route] = routes;
    await start(route, `${route}/1`);
    await a.query("update queue.workflow_run set route = null");
    await pin(a, route, "a");
    await a.query(`select queue.move_slots(${ALL_SLOTS}, 'b')`);
    const moved = await a.query(
      `select moved, kept from queue.hand_over_route(null, array(select slot from queue.fleet_slot), 'b')`,
    );
    expect(moved).toEqual([{ moved: 0, kept: 0 }]);
    // Their keys lead there.
    await move(a, b, "b");
    const again = a.query(
      "select created from queue.workflow_start('moves', route => $1, idempotency_key => $2)",
      [route, `${route}/1`],
    );
    expect(await again).toEqual([{ created: false }]);
  });

  it("stay with a run of a pinned route that they have invoked", async () => {
    const [route, pinned = ""] = routes;
    const parent = await start(route);
    const child = await start(pinned);
    await a.query(
      "update queue.workflow_run set parent_run_id = $2, parent_step = 's', is_detached = false where run_id = $1",
      [child, parent],
    );
    await pin(a, pinned, "a");
    await a.query(`select queue.move_slots(${ALL_SLOTS}, 'b')`);
    const moved = await a.query(
      `select moved, kept, problem from queue.hand_over_route(null, array(select slot from queue.fleet_slot), 'b')`,
    );
    expect(moved).toEqual([
      {
        moved: 0,
        kept: 1,
        problem: `run ${parent} can't move: run ${child} of route "${pinned}" is of its family`,
      },
    ]);
  });
});

describe("arguments", () => {
  it.each([
    ["move_slots(array[5000], 'b')", "invalid slots {5000}", "A slot is 0 to 1023."],
    ["move_slots(null, 'b')", 'invalid route "null" and slots null', "Give a route or slots"],
    ["hand_over_route('r', null, 'b', max_runs => 0)", "invalid max_runs 0", "Request between"],
    ["hand_over_route('r', null, 'b', max_runs => null)", "invalid max_runs null", "Request"],
    ["hand_over_route('r', null, 'b', after => null)", "invalid after null", "after => 0"],
    ["hand_over_route('r', null, 'b', only_running => null)", "invalid only_running null", "ended"],
    ["hand_over_route(null, null, 'b')", 'invalid route "null"', "Give a route or slots"],
    ["hand_over_route('r', array[1], 'b')", 'invalid route "r" and slots {1}', "Give a route"],
    ["hand_over_route(null, array[6], 'b')", "not at home in another", "or move the slots."],
    ["route_obstacles('r', array[1])", 'invalid route "r" and slots {1}', "Give a route"],
    ["route_obstacles('r', null, max_runs => null)", "invalid max_runs null", "Request between"],
    ["route_obstacles('r', null, null)", "invalid with_runs null", "Decide whether"],
  ])("of %s are refused", async (call, message, hint) => {
    await expect(a.query(`select * from queue.${call}`)).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });
});

describe("a map to join with", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
  });

  it.each([
    ["movedSlots", { "5": 9 }, "a slot of the map has moved to a shard that the map does not have"],
    ["movedSlots", { "1024": 0 }, "a moved slot of the map is not between 0 and 1023"],
    ["movedSlots", [1], "movedSlots or pins of the map is not an object"],
    ["movedSlotEpochs", { "5": 99 }, "no version between 1 and that of the map"],
    ["pins", { r: 9 }, "a route of the map is pinned to a shard that the map does not have"],
    ["pins", { "": 0 }, "a pinned route of the map is not 1 to 512 characters"],
    ["pinEpochs", { r: "x" }, "no version between 1 and that of the map"],
  ])("is refused for %s %j", async (member, invalid, message) => {
    const [row] = await a.query<{ map: Record<string, unknown> }>(
      "select queue.fleet_map() - 'own' as map",
    );
    const map = { ...row?.map, movedSlots: { "5": 0 }, pins: { r: 0 }, [member]: invalid };
    const join = database.query("select queue.join_fleet('b', $1)", [JSON.stringify(map)]);
    await expect(join).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringContaining(message),
    });
  });
});

it("a shard names itself, its state and the homes of routes, and a standalone database names nothing", async () => {
  const [route] = routes;
  await pin(a, route, "c");
  const identity = "select * from queue.shard_identity(array[$1, null, $2])";
  expect(await a.query(identity, [route, routes[1]])).toEqual([
    {
      fleet_id: expect.any(String),
      shard: "a",
      state: expect.stringMatching(/^state_\d{4}$/),
      homes: ["c", null, "a"],
    },
  ]);
  const alone = await createDatabase();
  expect(await alone.query("select shard from queue.shard_identity()")).toEqual([{ shard: null }]);
});
