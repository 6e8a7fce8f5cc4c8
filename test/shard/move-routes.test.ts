/**
 * The command that moves routes, over three shards: it changes nothing unless the target can take them, it ends whatever
 * else happens to the routes, and repeated it repairs what a restored shard has forgotten.
 */
import { ConnectionFailed, createWorkflowClient, InvalidArgument } from "@oxbow/sdk";
import type { Transport } from "@oxbow/sdk/internal/server";
import { connect, initFleet, moveRoutes, readFleet } from "@oxbow/fleet/internal";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually, including } from "../helpers/eventually.ts";
import { createFleet, routesAt, type TestFleet } from "../helpers/fleet.ts";
import { move as deliver } from "../helpers/outbox.ts";
import { openSession, openTransaction } from "../helpers/session.ts";

type ShardTransport = NonNullable<Transport["shards"]>;
type Options = Parameters<typeof moveRoutes>[1];
type Shards = Readonly<Record<string, string>>;

let fleet: TestFleet;
let transport: Transport;
let routes: string[];

beforeEach(async () => {
  fleet = await createFleet(3);
  transport = connectTo(fleet.shards);
  routes = await routesAt(databaseOf("a"), "a", "t");
});

let connected: Transport[] = [];

afterEach(async () => {
  await Promise.all(connected.map((one) => one.close()));
  connected = [];
  await Promise.all(Object.values(fleet.databases).map((database) => database.leave()));
});

/** Closed after the test. */
function connectTo(shards: Shards): Transport {
  const one = connect({ shards, maxConnections: 2 });
  connected.push(one);
  return one;
}

function shardOf(name: string): ShardTransport {
  const shard = transport.fleet?.shard(name).shards;
  if (shard === undefined) throw new Error("A shard is a database.");
  return shard;
}

const databaseOf = (name: string): TestDatabase => fleet.databases[name] as TestDatabase;

const move = async (
  route: string,
  target: string,
  options: Partial<Options> = {},
  over = transport,
): ReturnType<typeof moveRoutes> =>
  moveRoutes(over, {
    routes: { route },
    target,
    withRuns: true,
    endsLeases: false,
    onProgress: () => {},
    onWait: () => {},
    onTrouble: () => {},
    ...options,
  });

const homes = async (route: string, databases = Object.values(fleet.databases)): Promise<unknown> =>
  Promise.all(
    databases.map(
      async (database) =>
        (await database.query("select queue.home_of($1) as home", [route]))[0]?.["home"],
    ),
  );

const start = async (shard: string, route: string, key?: string): Promise<string> => {
  const [run] = await databaseOf(shard).query<{ run: string }>(
    "select run_id::text as run from queue.workflow_start('moved', route => $1, idempotency_key => $2, follows_key => true)",
    [route, key ?? null],
  );
  return run?.run ?? "";
};

const runsOf = async (shard: string): Promise<unknown[]> =>
  (
    await databaseOf(shard).query("select run_id::text as run from queue.workflow_run order by 1")
  ).map(({ run }) => run);

/** No server listens there. */
const NOWHERE = "postgres://127.0.0.1:1/nowhere";

describe("nothing moves", { timeout: 60_000 }, () => {
  it("to a shard that can't be reached", async () => {
    const [route = ""] = routes;
    const cut = connectTo({ ...fleet.shards, b: NOWHERE });
    for (const withRuns of [true, false]) {
      await expect(move(route, "b", { withRuns }, cut)).rejects.toThrow(ConnectionFailed);
    }
    expect(await homes(route)).toEqual(["a", "a", "a"]);
    await start("a", route);
  });

  it("to a shard that is held, or has another release", async () => {
    const [route = ""] = routes;
    const b = databaseOf("b");
    await b.query("select queue.hold_incarnation('restored')");
    await expect(move(route, "b", { withRuns: false })).rejects.toThrow(/"b" is a copy, and held/);
    await b.query("select queue.release_incarnation('live')");
    await b.query("alter function queue.shard_identity(text[]) rename to of_a_later_release");
    await expect(move(route, "b", { withRuns: false })).rejects.toThrow(/"b" has an older release/);
    await b.query(
      `create function queue.shard_identity(routes text[]) returns queue.shard_identity language sql
       as $$ select fleet_id, shard, 'state_9999', homes from queue.of_a_later_release(routes) $$`,
    );
    await expect(move(route, "b", { withRuns: false })).rejects.toThrow(
      /"b" and "a" have different releases/,
    );
    expect(await homes(route)).toEqual(["a", "a", "a"]);
  });

  it("while schedules wait for the ends of their runs, which are named", async () => {
    const [route = ""] = routes;
    const [far] = await routesAt(databaseOf("a"), "c", "t");
    const waiting: string[] = [];
    for (const [shard, name] of [
      ["a", `${route}/one`],
      ["a", `${route}/two`],
      ["c", `${far}/three`],
    ] as const) {
      await databaseOf(shard).query(
        "select queue.schedule_create($1, 'w', every_seconds => 3600, overlap => 'skip')",
        [name],
      );
      const [run] = await databaseOf(shard).query<{ run: string }>(
        "select run_id::text as run from queue.schedule_trigger($1)",
        [name],
      );
      waiting.push(`run ${run?.run} of shard "${shard}": schedule "${name}" skips its ticks`);
    }
    const reasonOf = async (moving: Promise<unknown>): Promise<string> => {
      const error: unknown = await moving.then(
        () => {},
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(InvalidArgument);
      return String(error);
    };
    const ofRoute = await reasonOf(move(route, "b", { withRuns: false }));
    for (const text of waiting.slice(0, 2)) expect(ofRoute).toContain(text);
    const slots = { slots: Array.from({ length: 1024 }, (_, slot) => slot) };
    const ofAll = await reasonOf(move(route, "b", { withRuns: false, routes: slots }));
    for (const text of waiting) expect(ofAll).toContain(text);
    expect(ofAll).toContain("nothing has moved");
    expect(await homes(route)).toEqual(["a", "a", "a"]);
    expect(await homes(far ?? "")).toEqual(["c", "c", "c"]);
  });

  it("to a shard that lacks a FIFO queue, which message groups need", async () => {
    const [route = ""] = routes;
    await databaseOf("a").query("select queue.create_queue('ordered', fifo => true)");
    await databaseOf("b").query("select queue.create_queue('ordered')");
    await expect(move(route, "b", { withRuns: false })).rejects.toThrow(
      'Shard "b" lacks the FIFO queue "ordered" of shard "a", so nothing has moved: create it there with the same settings',
    );
    expect(await homes(route)).toEqual(["a", "a", "a"]);
    await databaseOf("a").query("select queue.drop_queue('ordered')");
  });

  it("without the url of a shard that may have runs, which only a home doesn't need", async () => {
    const [route = "", other = ""] = routes;
    const { a = "", b = "" } = fleet.shards;
    const two = connectTo({ a, b });
    await expect(move(route, "b", {}, two)).rejects.toThrow(
      `The fleet has a shard "c", which may have runs of the route "${route}", so nothing has moved: give the urls of all`,
    );
    expect(await homes(route)).toEqual(["a", "a", "a"]);
    await move(route, "b", { withRuns: false }, two);
    expect(await homes(route)).toMatchObject(["b", "b", expect.any(String)]);
    const run = await start("a", other);
    for (const database of Object.values(fleet.databases)) {
      await database.query("update queue.fleet_shard set is_open = false where name = 'c'");
    }
    await move(other, "b", {}, two);
    expect(await runsOf("b")).toEqual([run]);
  });

  it("from a shard that can't be reached, and what others have moves without it", async () => {
    const [route = "", other = ""] = routes;
    await move(other, "b", { withRuns: false });
    const cut = connectTo({ ...fleet.shards, a: NOWHERE });
    await expect(move(route, "c", { withRuns: false }, cut)).rejects.toThrow(ConnectionFailed);
    await move(other, "c", { withRuns: false }, cut);
    expect(await homes(route)).toEqual(["a", "a", "a"]);
    expect((await homes(other)) as string[]).toMatchObject(["b", "c", "c"]);
  });
});

describe("a move", { timeout: 120_000 }, () => {
  it("sends keys only after the keys before have arrived, so that the home follows immediately", async () => {
    const [route = ""] = routes;
    await databaseOf("a").query(
      `select count(*) from queue.workflow_start_batch('moved', array_fill(null::jsonb, array[24000]),
         idempotency_keys => array(select $1 || '/' || n from generate_series(1, 24000) as n),
         routes => array_fill($1::text, array[24000]))`,
      [route],
    );
    const waited: unknown[] = [];
    const shards = shardOf("a");
    const giveHome = shards.giveHome.bind(shards);
    shards.giveHome = async (...args) => {
      const lags = await shards.lag();
      waited.push(lags.find(({ shard }) => shard === "b")?.items);
      return giveHome(...args);
    };
    await move(route, "b", { withRuns: false });
    expect(waited.length).toBeGreaterThan(3);
    expect(waited.filter((items) => items !== 0)).toEqual([]);
    expect(
      await databaseOf("b").query("select count(*)::integer as keys from queue.key_elsewhere"),
    ).toEqual([{ keys: 24_000 }]);
  });

  it("waits for the arrival of a run that its worker gives back", async () => {
    const [route = ""] = routes;
    const a = databaseOf("a");
    const run = await start("a", route);
    const [leased] = await a.query<{ receipt: string }>(
      "select receipt::text from queue.workflow_receive(array['moved'])",
    );
    const session = await openSession(a);
    let waitsForWorker = false;
    const reasons: string[] = [];
    const moving = move(route, "b", {
      onProgress: ({ waiting }) => void (waitsForWorker ||= waiting > 0),
      onWait: (reason) => void reasons.push(reason),
    });
    moving.then(
      () => reasons.push("ended"),
      (error: unknown) => reasons.push(String(error)),
    );
    await eventually(() => Promise.resolve(waitsForWorker), true);
    // As if another relay served this way, and stood still.
    await session.query("begin");
    await session.query("select from queue.fleet_shard where name = 'b' for update");
    const worker = await openTransaction(a);
    await worker.query(
      `select from queue.workflow_commit(
         array['moved'], array[$1::bigint], array[$2::bigint], array['release'], array[null::jsonb],
         array[null::timestamptz])`,
      [run, leased?.receipt],
    );
    // A relay is faster than the command.
    await worker.query("select queue.outbox_pending()");
    await worker.query("commit");
    const first = await eventually(
      () => Promise.resolve(reasons[0]),
      (reason) => reason !== undefined,
    );
    expect(first).toContain('items of shard "a" wait for "b"');
    await session.query("commit");
    await moving;
    expect(await runsOf("b")).toEqual([run]);
  });

  it("at the same time as another one ends, as the home or with the reason", async () => {
    for (const route of routes.slice(0, 3)) {
      await start("a", route);
      const moves = await Promise.allSettled([move(route, "b"), move(route, "c")]);
      const reasons = moves.flatMap((one) =>
        one.status === "rejected" ? [one.reason as unknown] : [],
      );
      for (const reason of reasons) {
        expect(reason).toBeInstanceOf(InvalidArgument);
        expect(String(reason)).toMatch(/Another move has made|not at home in another shard/);
      }
      expect(reasons.length).toBeLessThan(2);
      const [last] = (await homes(route)) as string[];
      await move(route, last ?? "");
      expect(await homes(route)).toEqual([last, last, last]);
    }
  });

  it("waits for a third shard that has not heard of it, and reports that", async () => {
    const [route = ""] = routes;
    const run = await start("a", route);
    const reasons: string[] = [];
    // As if another relay served this way, and stood still.
    const session = await openSession(databaseOf("a"));
    await session.query("begin");
    await session.query("select from queue.fleet_shard where name = 'c' for update");
    const moving = move(route, "b", { onWait: (reason) => void reasons.push(reason) });
    moving.catch(() => {});
    await eventually(
      () => reasons,
      (given) => given.some((reason) => reason.includes('shard "c" has to hear that "b" has')),
    );
    await session.query("commit");
    expect(await moving).toMatchObject({ moved: 1 });
    expect(await homes(route)).toEqual(["b", "b", "b"]);
    expect(await runsOf("b")).toEqual([run]);
  });

  it("has the target learn it from the shard that gave the route, whose keys come first", async () => {
    const [route] = await routesAt(databaseOf("c"), "c", "t");
    const startWithKey = (shard: string) =>
      databaseOf(shard).query<{ run: string }>(
        "select run_id::text as run from queue.workflow_start('moves', route => $1, idempotency_key => $1 || '/1')",
        [route],
      );
    const [first] = await startWithKey("c");
    const session = await openSession(databaseOf("c"));
    await session.query("begin");
    await session.query("select from queue.fleet_shard where name = 'a' for update");
    await databaseOf("c").query("select queue.pin_route($1, 'a')", [route]);
    await deliver(databaseOf("c"), databaseOf("b"), "b");
    let isWaiting = false;
    const moving = move(route, "a", {
      withRuns: false,
      onWait: (reason) => void (isWaiting ||= reason.includes('items of shard "c" wait for "a"')),
    });
    moving.catch(() => {});
    await eventually(
      () => Promise.race([moving.then(() => true), Promise.resolve(isWaiting)]),
      true,
    );
    // The second shard has heard of it, but doesn't pass it on.
    expect(await homes(route)).toEqual(["c", "a", "a"]);
    await session.query("commit");
    await moving;
    await expect(startWithKey("a")).rejects.toMatchObject({
      code: "OX029",
      detail: `{"runId": "${first?.run}", "shard": "c"}`,
    });
  });

  it.each([
    ["a", ["b", "c"]],
    ["c", ["c"]],
  ])(
    "waits for shards that have not heard of it, while shard %s doesn't answer now and then",
    async (name, held) => {
      const [route = ""] = routes;
      const run = await start("a", route);
      // As if other relays served these ways, and stood still.
      const session = await openSession(databaseOf("a"));
      const giver = shardOf("a");
      const giveHome = giver.giveHome.bind(giver);
      let looks = 0;
      giver.giveHome = async (...args) => {
        await session.query("begin");
        await session.query("select from queue.fleet_shard where name = any ($1) for update", [
          held,
        ]);
        const next = await giveHome(...args);
        const shard = shardOf(name);
        const map = shard.map.bind(shard);
        shard.map = async () => {
          looks += 1;
          if (looks % 2 === 1)
            throw new ConnectionFailed({ target: name, sent: false, cause: undefined });
          return map();
        };
        giver.giveHome = giveHome;
        return next;
      };
      const moving = move(route, "b");
      moving.catch(() => {});
      await eventually(
        () => Promise.race([moving, Promise.resolve(looks)]),
        (count) => Number(count) > 10,
      );
      await session.query("commit");
      expect(await moving).toMatchObject({ moved: 1 });
      expect(await homes(route)).toEqual(["b", "b", "b"]);
      expect(await runsOf("b")).toEqual([run]);
    },
  );

  it("that waits for an open transaction names it", async () => {
    const [route = ""] = routes;
    const session = await openSession(databaseOf("a"));
    await session.query("begin");
    await session.query("select queue.workflow_start('moved', route => $1)", [route]);
    const reasons: string[] = [];
    const moving = move(route, "b", { onWait: (reason) => void reasons.push(reason) });
    await eventually(
      () => reasons,
      (given) => given.some((reason) => reason.includes(`of the processes ${session.pid}`)),
    );
    await session.query("commit");
    expect(await moving).toMatchObject({ moved: 1 });
  });

  it("reports runs that come back, since the target can't have them", async () => {
    const [route = ""] = routes;
    const run = await start("a", route, `${route}/1`);
    await start("b", route, `${route}/1`);
    await expect(move(route, "b")).rejects.toThrow(/come back to their shard again and again/);
    await eventually(() => runsOf("a"), including(run));
  });
});

describe("a repeated move", { timeout: 120_000 }, () => {
  const states = async (shards: Shards): Promise<unknown> =>
    (await readFleet(Object.entries(shards).map(([name, url]) => ({ name, url })))).map(
      ({ state }) => state,
    );

  it.each(["a", "b", "c"])("reaches shard %s, which was restored", async (name) => {
    const [pinned = "", moved = ""] = routes;
    await start("a", pinned);
    const before = await createDatabase({ copyOf: databaseOf(name) });
    const [row] = await databaseOf("a").query<{ slot: number }>(
      "select queue._route_slot($1) as slot",
      [moved],
    );
    const slots = { slots: [row?.slot ?? 0] };
    // With a client that knows nothing, and so has the map of whichever shard answers first.
    const moveBoth = async (shards: Shards): Promise<void> => {
      for (const one of [{ route: pinned }, slots]) {
        await move(pinned, "b", { routes: one, withRuns: false }, connectTo(shards));
      }
    };
    await moveBoth(fleet.shards);
    await eventually(
      () => states(fleet.shards),
      (all) => JSON.stringify(all) === '["joined","joined","joined"]',
    );

    await before.query("select queue.release_incarnation('live')");
    const shards = { ...fleet.shards, [name]: before.url };
    expect(await states(shards)).toContain("behind");
    await eventually(
      async () => {
        // No worker delivers to the third shard what is left when a change of a home ends.
        await moveBoth(shards);
        return states(shards);
      },
      (all) => JSON.stringify(all) === '["joined","joined","joined"]',
    );
    const databases = Object.keys(shards).map((one) => (one === name ? before : databaseOf(one)));
    expect(await homes(pinned, databases)).toEqual(["b", "b", "b"]);
    expect(await homes(moved, databases)).toEqual(["b", "b", "b"]);
  });
});

it("a new database in place of a lost shard knows the moves", async () => {
  const [route = "", other = ""] = routes;
  await move(route, "b", { withRuns: false });
  await move(other, "c", { withRuns: false });
  const replacement = await createDatabase();
  const shards = { ...fleet.shards, b: replacement.url };
  const { joined } = await initFleet(Object.entries(shards).map(([name, url]) => ({ name, url })));
  expect(joined).toEqual(["b"]);
  expect(await homes(route, [replacement])).toEqual(["b"]);
  expect(await homes(other, [replacement])).toEqual(["c"]);
});

it("a batch of starts has the runs of its keys, wherever they are, and starts the others at home", async () => {
  const [route = ""] = routes;
  await using client = createWorkflowClient({ shards: fleet.shards });
  const keys = [1, 2, 3].map((n) => `${route}/${n}`);
  const known: string[] = [];
  for (const key of keys) known.push(await start("a", route, key));
  await move(route, "b", { withRuns: false });
  const items = [
    { input: {}, route },
    ...keys.map((idempotencyKey) => ({ input: {}, route, idempotencyKey })),
    { input: {}, route, idempotencyKey: `${route}/4` },
  ];
  for (let n = 0; n < 2; n += 1) {
    const runs = await client.startBatch("moved", items);
    expect(runs.map(({ runId }) => runId).slice(1, 4)).toEqual(known);
    expect(await runsOf("a")).toEqual(known);
    expect(runs.at(-1)?.created).toBe(n === 0);
  }
  expect(await runsOf("b")).toHaveLength(3);
});

it("a start in a transaction reads no pin of other routes", async () => {
  const [route = "", other = ""] = routes;
  await databaseOf("a").query(
    "insert into queue.fleet_pin (epoch, shard, route) select 1, 0, 'p' || n from generate_series(1, 1000) as n",
  );
  await using client = createWorkflowClient({ shards: fleet.shards });
  await move(other, "b", { withRuns: false });
  const session = await databaseOf("a").connect();
  let bytes = 0;
  const tx = {
    query: async (text: string, values: unknown[]) => {
      const answer = await session.query(text, values);
      bytes += JSON.stringify(answer.rows).length;
      return answer;
    },
  };
  await session.query("begin");
  await client.start("moved", {}, { tx, route });
  await expect(client.start("moved", {}, { tx, route: other })).rejects.toMatchObject({
    name: "WrongShard",
    facts: { home: "b", shard: "a" },
  });
  await session.query("commit");
  await session.end();
  expect(bytes).toBeLessThan(1000);
});
