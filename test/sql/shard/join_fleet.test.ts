/** Databases become shards: ids carry their shard, and runs of another shard are refused. */
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { startRouted } from "../../helpers/fleet.ts";
import { newQueue, send } from "../../helpers/queues.ts";
import { value } from "../../helpers/value.ts";

const BLOCK = 2n ** 36n;
const FLEET_ID = "7b4c1f5e-2f57-4a39-8a4c-3f4a7d6f1c11";

const SHARDS = [
  { number: 0, name: "a", blocks: [0] },
  { number: 1, name: "b", blocks: [1] },
];
const SLOTS = Array.from({ length: 1024 }, (_, slot) => slot % 2);
const MAP = { fleetId: FLEET_ID, epoch: 1, shards: SHARDS, slots: SLOTS };

const join = (database: TestDatabase, name: string, map: object = MAP): Promise<boolean> =>
  value(database, "queue.join_fleet($1, $2)", [name, JSON.stringify(map)]);

const start = async (database: TestDatabase, key?: string): Promise<bigint> =>
  BigInt(await startRouted(database, "sharded", null, key));

describe("join_fleet", () => {
  it("keeps the ids of the first database, and begins the next shard in its own block", async () => {
    const [first, second] = [await createDatabase(), await createDatabase()];
    const before = await start(first, "k");
    expect(await join(first, "a")).toBe(true);
    expect(await join(second, "b")).toBe(true);

    expect(await start(first, "k")).toBe(before);
    expect((await start(first)) / BLOCK).toBe(0n);
    expect((await start(second)) / BLOCK).toBe(1n);
  });

  it("gives messages ids of the block, of queues from before and after", async () => {
    const database = await createDatabase();
    const before = await newQueue(database);
    await join(database, "b");
    const after = await newQueue(database);
    for (const queue of [before, after]) {
      expect(BigInt(await send(database, queue, {})) / BLOCK).toBe(1n);
    }
    const maxima = await database.query<{ max: string }>(
      `select distinct max_value::text as max from pg_sequences
       where schemaname = 'queue' and (sequencename = any ($1) or sequencename = 'workflow_run_run_id_seq')`,
      [[`ids_of_q_${before}`, `ids_of_q_${after}`]],
    );
    expect(maxima).toEqual([{ max: String(2n * BLOCK - 1n) }]);
  });

  it("stays within its block when ids skip after a crash", async () => {
    const database = await createDatabase();
    await join(database, "b");
    await database.query("select queue._advance_ids()");
    expect((await start(database)) / BLOCK).toBe(1n);
  });

  it("refuses a second shard that has given out ids, and leaves it as it was", async () => {
    const database = await createDatabase();
    const before = await start(database);
    await expect(join(database, "b")).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringContaining("has given out ids"),
    });
    expect(await value(database, "queue.fleet_map()")).toBeNull();
    expect((await start(database)) - before).toBeLessThan(BLOCK);
  });

  it("is repeatable, and refuses another name and another fleet", async () => {
    const database = await createDatabase();
    await join(database, "b");
    expect(await join(database, "b")).toBe(false);
    await expect(join(database, "a")).rejects.toMatchObject({ code: "OX004" });
    const other = { ...MAP, fleetId: "00000000-0000-4000-8000-000000000000" };
    await expect(join(database, "b", other)).rejects.toMatchObject({ code: "OX004" });
  });

  it.each([
    ["number", { number: 2, name: "b", blocks: [1] }],
    ["block", { number: 1, name: "b", blocks: [2] }],
  ])("refuses a database that the fleet has forgotten, whose %s is another one", async (_, own) => {
    const database = await createDatabase();
    await join(database, "b");
    const shards = [{ number: 0, name: "a", blocks: [0] }, own];
    const slots = SLOTS.map(() => 0);
    await expect(join(database, "b", { ...MAP, shards, slots })).rejects.toMatchObject({
      code: "OX004",
      message: `this database is shard "b" with number 1, and the map has it with number ${own.number} and blocks {${own.blocks[0]}}`,
      hint: "The fleet was restored to a moment before this database joined: give a new database.",
    });
  });

  it.each([
    [
      "a shard that the map lacks",
      { ...MAP, shards: SHARDS.slice(0, 1), slots: SLOTS.map(() => 0) },
    ],
    ["too few slots", { ...MAP, slots: [0, 1] }],
    ["a slot of an unknown shard", { ...MAP, slots: SLOTS.map(() => 7) }],
    [
      "a block of two shards",
      { ...MAP, shards: SHARDS.map((shard) => ({ ...shard, blocks: [1] })) },
    ],
    ["a block that doesn't fit", { ...MAP, shards: [SHARDS[0], { ...SHARDS[1], blocks: [128] }] }],
  ])("refuses a map with %s", async (_, map) => {
    const database = await createDatabase();
    await expect(join(database, "b", map)).rejects.toMatchObject({ code: "OX004" });
  });
});

describe("a copy of a shard", () => {
  const held = async (): Promise<TestDatabase> => {
    const database = await createDatabase();
    await join(database, "b");
    await start(database);
    await database.query("select queue.hold_incarnation('a restored backup')");
    return database;
  };

  it("that is released as live takes its place, with ids of its block beyond the lost ones", async () => {
    const database = await held();
    const before = await start(database);
    await database.query("select queue.release_incarnation('live')");
    expect(await value(database, "queue.fleet_map() -> 'own'")).toBe(1);
    const after = await start(database);
    expect(after / BLOCK).toBe(1n);
    expect(after - before).toBeGreaterThan(1_000_000n);
    expect(await join(database, "b")).toBe(false);
  });

  it("that is released as a sandbox is no shard, until it joins again", async () => {
    const database = await held();
    await database.query("select queue.release_incarnation('sandbox')");
    expect(await value(database, "queue.fleet_map()")).toBeNull();
    await database.query("select queue.hold_incarnation('to be live after all')");
    await database.query("select queue.release_incarnation('live')");
    expect(await value(database, "queue.fleet_map()")).toBeNull();
    expect(await join(database, "b")).toBe(true);
    expect((await start(database)) / BLOCK).toBe(1n);
  });
});

describe("a shard", () => {
  it("refuses runs of another shard by its name, and runs of no shard as before", async () => {
    const database = await createDatabase();
    await join(database, "b");
    await expect(database.query("select queue.workflow_pause(17)")).rejects.toMatchObject({
      code: "OX028",
      message: 'run 17 is in shard "a", not in "b"',
    });
    await expect(
      database.query("select queue.workflow_pause($1)", [String(BLOCK + 17n)]),
    ).rejects.toMatchObject({ code: "OX005" });
  });

  it("finds the home of routes, the same for all shards", async () => {
    const [first, second] = [await createDatabase(), await createDatabase()];
    await join(first, "a");
    await join(second, "b");
    for (const route of ["acme", "globex", "söder", "42"]) {
      const home = `queue.home_of('${route}')`;
      expect(await value(first, home)).toBe(await value(second, home));
    }
    await expect(value(first, "queue.home_of('')")).rejects.toMatchObject({ code: "OX004" });
  });

  it("is no shard any longer once it is released as a copy", async () => {
    const database = await createDatabase();
    await join(database, "b");
    await database.query("select queue.hold_incarnation()");
    await database.query("select * from queue.release_incarnation('sandbox')");
    expect(await value(database, "queue.fleet_map()")).toBeNull();
    expect(await join(database, "b")).toBe(true);
  });
});

it("a standalone database has no map and no homes, and knows no other shard", async () => {
  const database = await createDatabase();
  expect(await value(database, "queue.fleet_map()")).toBeNull();
  expect(await value(database, "queue.home_of('acme')")).toBeNull();
  await expect(
    database.query("select queue.workflow_signal($1, 'go')", [String(3n * BLOCK)]),
  ).rejects.toMatchObject({ code: "OX005" });
});

it("shard_candidate names the slots of routes, keys, groups and schedules", async () => {
  const database = await createDatabase();
  const queue = await newQueue(database, { fifo: true });
  expect(await value(database, "(queue.shard_candidate()).used_slots")).toEqual([]);
  await start(database, "key");
  await database.query("select queue.send_fifo($1, '{}', 'group', 'd')", [queue]);
  await database.query("select queue.schedule_create('every', 'sharded', cron => '0 0 * * *')");
  await database.query(
    "select queue.schedule_create('tenant/every', 'sharded', cron => '0 0 * * *')",
  );
  await database.query("select queue.workflow_start('sharded', route => 'routed')");
  // Started by a client that gave no route yet.
  await start(database, "owner/7");
  const slots = await database.query<{ slot: number }>(
    "select queue._route_slot(r) as slot from unnest('{key,group,every,tenant,routed,owner/7,owner}'::text[]) as r order by 1",
  );
  const [found] = await database.query("select * from queue.shard_candidate()");
  expect(found).toEqual({
    has_ids: true,
    last_block: 0,
    used_slots: slots.map(({ slot }) => slot),
  });
});
