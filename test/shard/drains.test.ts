/** The conditions under which a shard is drained. */
import { setTimeout as delay } from "node:timers/promises";
import { addShard, connect, drainShard, readFleet, refillShard } from "@oxbow/fleet/internal";
import type { Transport } from "@oxbow/sdk/internal/server";
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { createFleet, routesAt, queryAll } from "../helpers/fleet.ts";
import { openSession, openTransaction } from "../helpers/session.ts";

interface Fleet {
  readonly a: TestDatabase;
  readonly b: TestDatabase;
  readonly shards: Readonly<Record<string, string>>;
}

async function setUp(): Promise<Fleet> {
  const { databases, shards } = await createFleet();
  return { a: databases.a, b: databases.b, shards };
}

async function over<Value>(
  shards: Readonly<Record<string, string>>,
  use: (transport: Transport) => Promise<Value>,
): Promise<Value> {
  const transport = connect({ shards, maxConnections: 2 });
  try {
    return await use(transport);
  } finally {
    await transport.close();
  }
}

type Options = Parameters<typeof drainShard>[1];

const drainOver = (
  transport: Transport,
  shard: string,
  options: Partial<Options> = {},
): ReturnType<typeof drainShard> =>
  drainShard(transport, {
    shard,
    target: undefined,
    endsLeases: false,
    onHomes: () => {},
    onProgress: () => {},
    onWait: () => {},
    onTrouble: () => {},
    ...options,
  });

const drain = (
  shards: Readonly<Record<string, string>>,
  shard: string,
  options?: Partial<Options>,
): ReturnType<typeof drainShard> =>
  over(shards, (transport) => drainOver(transport, shard, options));

it.concurrent(
  "a drain ends although runs without a home start all the time until clients have learned of it",
  { timeout: 120_000 },
  async () => {
    const { a, b, shards } = await setUp();
    const draining = drain(shards, "a").then(() => "drained", String);
    const marked = "select from queue.fleet_shard where is_draining";
    await eventually(() => a.query(marked), { length: 1 });
    // As clients do whose map is older.
    const until = performance.now() + 8000;
    let started = 0;
    for (; performance.now() < until; started += 1) {
      await a.query("select queue.workflow_start('w')");
      await delay(50);
    }
    expect(await draining).toBe("drained");
    const runs = "select count(*)::integer as runs from queue.workflow_run";
    expect(await queryAll([a, b])(runs)).toEqual([{ runs: 0 }, { runs: started }]);
  },
);

const states = async (shards: Readonly<Record<string, string>>): Promise<unknown> =>
  (await readFleet(Object.entries(shards).map(([name, url]) => ({ name, url })))).map(
    ({ state }) => state,
  );
const AGREED = ["joined", "joined", "joined"];

describe.concurrent("a repeated drain", { timeout: 240_000 }, () => {
  it("informs restored shards, whichever shard knows the latest homes", async () => {
    const { databases, shards } = await createFleet(3);
    const [pinned, other] = await routesAt(databases.a, "a");
    await databases.a.query("select queue.pin_route($1, 'a')", [pinned]);
    const copies = new Map<string, TestDatabase>();
    const now = { ...databases };
    const urls = { ...shards };
    // Before the drain.
    for (const name of ["a", "b", "c"]) {
      copies.set(name, await createDatabase({ copyOf: databases[name] as TestDatabase }));
    }
    expect(await drain(urls, "a")).toMatchObject({ behind: [] });
    for (const restored of [["b", "c"], ["a"]]) {
      for (const name of restored) {
        const copy = copies.get(name) as TestDatabase;
        await copy.query("select queue.release_incarnation('live')");
        now[name] = copy;
        urls[name] = copy.url;
      }
      expect(await states(urls)).not.toEqual(AGREED);
      expect(await drain(urls, "a")).toMatchObject({ behind: [] });
      expect(await states(urls)).toEqual(AGREED);
      for (const route of [pinned, other]) {
        const homes = await queryAll(Object.values(now))("select queue.home_of($1) as home", [
          route,
        ]);
        expect(new Set(homes.map(({ home }) => home)).size).toBe(1);
        expect(homes[0]?.["home"]).not.toBe("a");
      }
    }
  });

  it("informs shards of other moves, and names shards that it can't inform", async () => {
    const { databases, shards } = await createFleet(4);
    const { b, d } = databases;
    const [one, two] = await routesAt(b, "b");
    await b.query("select queue.pin_route($1, 'c')", [one]);
    await b.query("select queue.pin_route($1, 'd')", [two]);
    // As if "a" was restored after that.
    await b.query("update queue.outbox set delivered_at = clock_timestamp() where target = 0");
    // Nothing can be moved there, so nothing is sent again.
    await queryAll(Object.values(databases))("select queue.drain_shard('d')");
    expect(await drain(shards, "a")).toMatchObject({ behind: ["a"] });
    expect(await databases.a.query("select queue.home_of($1) as home", [one])).toEqual([
      { home: "c" },
    ]);
    await queryAll(Object.values(databases))("select queue.drain_shard('d', false)");
    expect(await drain(shards, "a")).toMatchObject({ behind: [] });
    expect(await states(shards)).toEqual([...AGREED, "joined"]);
    expect(await d.query("select queue.home_of($1) as home", [two])).toEqual([{ home: "d" }]);
  });
});

it.concurrent(
  "a drain ends although runs start in its shard without an end, and reports that they do",
  { timeout: 180_000 },
  async () => {
    const { a, shards } = await setUp();
    await over(shards, async (transport) => {
      const shard = transport.fleet?.shard("a").shards;
      if (shard === undefined) throw new Error("A shard is a database.");
      const drainRuns = shard.drainRuns.bind(shard);
      // Always one more, as fast as the drain is.
      const until = performance.now() + 60_000;
      shard.drainRuns = async (request) => {
        if (performance.now() < until) await a.query("select queue.workflow_start('w')");
        return drainRuns(request);
      };
      await expect(drainOver(transport, "a")).rejects.toThrow(
        /found in their shard again and again, \d+ in the last pass/,
      );
    });
  },
);

it.concurrent(
  "a drain moves runs that were on their way to the shard when it began",
  { timeout: 180_000 },
  async () => {
    const { a, b, shards } = await setUp();
    const [run] = await b.query<{ id: string }>(
      "select run_id::text as id from queue.workflow_start('w')",
    );
    await b.query("select queue.hand_over_run($1, 'a')", [run?.id]);
    const holder = await openTransaction(a);
    await holder.query("select queue.hold_relays()");
    const reasons: string[] = [];
    const draining = drain(shards, "a", { onWait: (reason) => void reasons.push(reason) });
    const ends = draining.then(() => ["it has ended"]);
    await eventually(
      () => Promise.race([ends, Promise.resolve([...reasons])]),
      (given) => given.some((reason) => reason.includes('items of shard "b" wait for "a"')),
      // It takes three quarters of a minute where nothing else runs.
      { withinMs: 110_000 },
    );
    await holder.query("commit");
    expect(await draining).toMatchObject({ moved: 1, kept: 0 });
    const runs = "select run_id::text as id from queue.workflow_run";
    expect(await queryAll([a, b])(runs)).toEqual([run]);
    expect(await b.query(runs)).toEqual([run]);
  },
);

it.concurrent("a drain and its end need the urls of all shards, also of one that is not open", async () => {
  const { a, b, shards } = await setUp();
  const c = await createDatabase();
  const others = Object.entries(shards).map(([name, url]) => ({ name, url }));
  await addShard(others, { name: "c", url: c.url });
  await expect(drain(shards, "a")).rejects.toThrow('The fleet has a shard "c": give the urls');
  await expect(over(shards, (transport) => refillShard(transport, "a"))).rejects.toThrow(
    'The fleet has a shard "c": give the urls',
  );
  const marked = "select from queue.fleet_shard where is_draining";
  expect(await queryAll([a, b, c])(marked)).toEqual([]);
});

describe.concurrent("two drains at once", { timeout: 120_000 }, () => {
  it("leave a shard that takes more: the second is refused, and marks nothing", async () => {
    const { a, b, shards } = await setUp();
    // Both have read the map before either changes it.
    const holders = [await openSession(a), await openSession(b)];
    for (const holder of holders) {
      await holder.query("begin");
      await holder.query("lock table queue.fleet_shard in share mode");
      await holder.query("select from queue.fleet for update");
    }
    const drains = Promise.allSettled(["a", "b"].map((name) => drain(shards, name)));
    const blocked = `select from pg_stat_activity where datname = any ('{${a.name},${b.name}}')
      and wait_event_type = 'Lock' and query like '%drain_shard%'`;
    await eventually(
      () => a.query(blocked),
      ({ length }) => length >= 2,
    );
    for (const holder of holders) await holder.query("commit");
    const ends = await drains;
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refused = ends.find((end) => end.status === "rejected");
    expect(String(refused?.reason)).toContain("would take what has no home");
    const marked = await queryAll([a, b])("select name from queue.fleet_shard where is_draining");
    const drained = ends[0]?.status === "fulfilled" ? "a" : "b";
    expect(marked).toEqual([{ name: drained }, { name: drained }]);
  });
});
