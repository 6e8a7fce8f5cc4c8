/** The conditions under which shards are added and opened, without load. */
import {
  addShard,
  connect,
  type NewShard,
  openShard,
  readFleet,
  requireRelease,
} from "@oxbow/fleet/internal";
import { migrate, releaseState } from "@oxbow/sdk/internal/server";
import { describe, expect, it } from "vitest";
import { oxbow } from "../helpers/command.ts";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { createFleet, queryAll } from "../helpers/fleet.ts";
import { openTransaction } from "../helpers/session.ts";

interface Fleet {
  readonly a: TestDatabase;
  readonly b: TestDatabase;
  readonly shards: readonly NewShard[];
}

async function setUp(): Promise<Fleet> {
  const { databases, shards } = await createFleet();
  return {
    a: databases.a,
    b: databases.b,
    shards: Object.entries(shards).map(([name, url]) => ({ name, url })),
  };
}

const SHARDS = "select shard, name, blocks, is_open from queue.fleet_shard order by shard";
const QUEUES =
  "select name, dead_letter_queue, max_receives from queue.list_queues() order by name";

describe("two shards that are added at once", () => {
  it("have different numbers, whatever the order of urls: the second is refused until it knows the first", async () => {
    const { a, b, shards } = await setUp();
    const [c, d] = [await createDatabase(), await createDatabase()];
    const [newC, newD] = [
      { name: "c", url: c.url },
      { name: "d", url: d.url },
    ];
    // Both have read the map before either changes it.
    const holder = await openTransaction(a);
    await holder.query("select from queue.fleet for update");
    const adding = [addShard(shards, newC), addShard(shards.toReversed(), newD)];
    const ends = Promise.allSettled(adding);
    const blocked = `select from pg_stat_activity where datname = '${a.name}' and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await b.query(blocked)).length, { timeout: 9_000 }).toBe(2);
    await holder.query("commit");
    const wins = (await ends).map(({ status }) => status === "fulfilled");
    expect(wins.filter(Boolean)).toHaveLength(1);
    const [winner, loser] = wins[0] === true ? [newC, newD] : [newD, newC];
    const refused = adding[wins.indexOf(false)];
    await expect(refused).rejects.toThrow(`Shard 2 with blocks {2} is "${winner.name}"`);
    expect(
      await queryAll([a, b])(`select from (${SHARDS}) as s where name = '${loser.name}'`),
    ).toEqual([]);

    await expect(addShard(shards, loser)).rejects.toThrow(`has a shard "${winner.name}"`);
    await addShard([...shards, winner], loser);
    const known = await a.query(SHARDS);
    expect(known.map(({ name, blocks }) => [name, blocks])).toEqual([
      ["a", [0]],
      ["b", [1]],
      [winner.name, [2]],
      [loser.name, [3]],
    ]);
    for (const database of [b, c, d]) expect(await database.query(SHARDS)).toEqual(known);
  });
});

describe("the queues of a shard that is added", () => {
  it("are those of all others, also with dead letters of dead letters, and later ones when it is opened", async () => {
    const { a, b, shards } = await setUp();
    await queryAll([a, b])(`
      select queue.create_queue('z'),
        queue.create_queue('m', max_receives => 2, dead_letter_queue => 'z');
      select queue.create_queue('a', max_receives => 3, dead_letter_queue => 'm')`);
    await b.query("select queue.create_queue('only-in-b')");
    const c = await createDatabase();
    const added = { name: "c", url: c.url };
    await addShard(shards, added);
    expect(await c.query(QUEUES)).toEqual(await b.query(QUEUES));
    await queryAll([a, b])("select queue.create_queue('later', fifo => true)");
    await openShard([...shards, added], "c");
    expect(await c.query(QUEUES)).toEqual(await b.query(QUEUES));
  });

  it("are refused if it has one with other settings", async () => {
    const { a, b, shards } = await setUp();
    await queryAll([a, b])("select queue.create_queue('orders')");
    const c = await createDatabase();
    await c.query("select queue.create_queue('orders', visibility_timeout => 7)");
    const added = { name: "c", url: c.url };
    await expect(addShard(shards, added)).rejects.toThrow(/Shard "c": Queue "orders"/);
    await expect(openShard([...shards, added], "c")).rejects.toThrow(/Shard "c": Queue "orders"/);
    await c.query("select queue.drop_queue('orders')");
    await addShard(shards, added);
    await openShard([...shards, added], "c");
    expect(await c.query(QUEUES)).toEqual(await a.query(QUEUES));
  });
});

it("a database that was given up is replaced until the shard is open, and never after", async () => {
  const { a, b, shards } = await setUp();
  const [given, other, third] = [
    await createDatabase(),
    await createDatabase(),
    await createDatabase(),
  ];
  await addShard(shards, { name: "c", url: given.url });
  // A home has changed since: the database that takes the place has it in its map.
  await a.query(
    `select queue.pin_route(r.route, 'b')
     from (select 'r' || n as route from generate_series(1, 99) as n where queue.home_of('r' || n) = 'a' limit 1) as r`,
  );
  const added = { name: "c", url: other.url };
  await addShard(shards, added);
  const pins = "select queue.fleet_map() -> 'pins' as pins";
  const [known] = await a.query<{ pins: object }>(pins);
  expect(Object.values(known?.pins ?? {})).toEqual([1]);
  expect(await other.query(pins)).toEqual([known]);
  await openShard([...shards, added], "c");
  await addShard(shards, added);
  await expect(addShard(shards, { name: "c", url: third.url })).rejects.toThrow(
    'has a shard "c", with another database',
  );
  await expect(
    addShard([...shards.slice(1), added], { name: "a", url: third.url }),
  ).rejects.toThrow('has a shard "a", with another database');
  expect(await third.query("select queue.fleet_map() as map")).toEqual([{ map: null }]);
  expect(await queryAll([a, b, other])(SHARDS)).toHaveLength(9);
});

it("a drain that some shards don't know is reported, and decided by no other command", async () => {
  const { a, b, shards } = await setUp();
  const c = await createDatabase();
  const added = { name: "c", url: c.url };
  const all = [...shards, added];
  const states = async (given: readonly NewShard[]): Promise<unknown> =>
    (await readFleet(given)).map(({ state }) => state);
  const drained = "select name from queue.fleet_shard where is_draining";
  const drain = "select queue.drain_shard('a')";
  const undo = "select queue.drain_shard('a', false)";
  const a1 = { name: "a" };
  const refused = /Shard "a" doesn't know that "a" is being drained, as others do: repeat/;
  // As a drain, or its end, leaves them that was interrupted.
  await b.query(drain);
  expect(await states(shards)).toEqual(["joined", "disagrees"]);
  await expect(addShard(shards, added)).rejects.toThrow(refused);
  expect(await queryAll([a, b])(SHARDS)).toHaveLength(4);
  await a.query(drain);
  await addShard(shards, added);
  expect(await queryAll([a, b, c])(drained)).toEqual([a1, a1, a1]);

  await a.query(undo);
  await expect(openShard(all, "c")).rejects.toThrow(refused);
  expect(await queryAll([a, b, c])(drained)).toEqual([a1, a1]);
  await b.query(undo);
  await openShard(all, "c");
  expect(await queryAll([a, b, c])(drained)).toEqual([]);
  await queryAll([a, b])(drain);
  await openShard(all, "c");
  expect(await states(all)).toEqual(["joined", "joined", "joined"]);
});

it("a database that the others have forgotten is refused, and one that some of them know joins again", async () => {
  const { a, b, shards } = await setUp();
  const [c, d] = [await createDatabase(), await createDatabase()];
  const added = { name: "c", url: c.url };
  await addShard(shards, added);
  // As if it was restored to a moment before.
  const forget = "delete from queue.fleet_shard where name = 'c'";
  await b.query(forget);
  await addShard(shards, added);
  expect(await b.query(SHARDS)).toEqual(await a.query(SHARDS));
  await queryAll([a, b])(forget);
  const before = await queryAll([a, b])(SHARDS);
  await expect(addShard(shards, added)).rejects.toThrow("give a new database");
  expect(await queryAll([a, b])(SHARDS)).toEqual(before);
  await addShard(shards, { name: "d", url: d.url });
  await expect(addShard([...shards, { name: "d", url: d.url }], added)).rejects.toThrow(
    `The database of shard "c" joined this fleet before, but the others don't know it`,
  );
  await queryAll([a, b, d])("select queue.add_shard('c', 3, '{3}')");
  await expect(addShard([...shards, { name: "d", url: d.url }], added)).rejects.toThrow(
    "know another shard of this name",
  );
});

it("a fleet of another release is refused before the new database is migrated", async () => {
  const { b, shards } = await setUp();
  await requireRelease(shards, await releaseState());
  const c = await createDatabase({ empty: true });
  const env = { QUEUE_SHARDS: shards.map(({ name, url }) => `${name}=${url}`).join(" ") };
  await b.query("alter function queue.shard_identity(text[]) rename to of_a_later_release");
  const older = await oxbow(["shards", "add", `c=${c.url}`], { env });
  expect(older.stderr).toContain('Shard "b" has another release of Oxbow than this command');
  await b.query(
    `create function queue.shard_identity(routes text[]) returns queue.shard_identity language sql
     as $$ select fleet_id, shard, 'state_9999', homes from queue.of_a_later_release(routes) $$`,
  );
  const newer = await oxbow(["shards", "add", `c=${c.url}`], { env });
  expect(newer.stderr).toContain('Shard "b" has another release of Oxbow than this command');
  expect(await c.query("select to_regnamespace('queue') as schema")).toEqual([{ schema: null }]);
});

it("the part of a new shard is that of an even fleet, without shards that are being drained", async () => {
  const { a, b, shards } = await setUp();
  const [c, d] = [await createDatabase(), await createDatabase()];
  const [newC, newD] = [
    { name: "c", url: c.url },
    { name: "d", url: d.url },
  ];
  await addShard(shards, newC);
  await addShard([...shards, newC], newD);
  const all = [...shards, newC, newD];
  const sizeOf = async (name: string): Promise<number> => {
    const { first, last } = await openShard(all, name);
    return last - first + 1;
  };
  expect(await sizeOf("c")).toBe(341);
  await queryAll([a, b, c, d])("select queue.drain_shard('a')");
  expect(await sizeOf("c")).toBe(512);
  expect(await sizeOf("d")).toBe(341);
});

it("an interrupted addition is not built upon", async () => {
  const { a, shards } = await setUp();
  const [c, d] = [await createDatabase(), await createDatabase()];
  await a.query("select queue.add_shard('c', 2, '{2}')");
  const added = { name: "c", url: c.url };
  await expect(addShard([...shards, added], { name: "d", url: d.url })).rejects.toThrow(
    'The database of shard "c" is in no fleet',
  );
  await addShard(shards, added);
  expect(await c.query(SHARDS)).toEqual(await a.query(SHARDS));
});

it("a client that runs finds out by itself that a shard was opened", async () => {
  const { shards } = await setUp();
  const c = await createDatabase({ empty: true });
  await migrate(c.url);
  const added = { name: "c", url: c.url };
  await addShard(shards, added);
  const urlsOf = (given: readonly NewShard[]): Record<string, string> =>
    Object.fromEntries(given.map(({ name, url }) => [name, url]));
  const [aware, unaware] = [
    connect({ shards: urlsOf([...shards, added]), maxConnections: 1 }),
    connect({ shards: urlsOf(shards), maxConnections: 1 }),
  ];
  try {
    const count = (transport: typeof aware): Promise<unknown> => transport.queues.list();
    await count(aware);
    await count(unaware);
    await openShard([...shards, added], "c");
    await expect
      .poll(() => count(unaware).catch(String), { timeout: 60_000 })
      .toContain('shards that `shards` lacks: "c"');
    await count(aware);
  } finally {
    await aware.close();
    await unaware.close();
  }
});
