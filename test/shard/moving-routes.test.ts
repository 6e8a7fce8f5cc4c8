/**
 * Routes that move between three shards under faults, one move or two concurrent ones, from a seed, while their runs
 * start: by clients of the fleet, and by transactions of any shard, which commit or roll back. Each move ends, if no
 * other one is faster. Afterwards each key has one run (X3), every other committed start has one (X2), each run is in
 * one shard (X1), that where its route is at home if it was moved there, all shards have one map, and their invariants
 * hold (X7).
 *
 * `SEED=7 SHARD_SEEDS=1000` begins elsewhere and takes more; `make test-shard-seeds` takes 1,000.
 */
import { ConnectionFailed, InvalidArgument } from "@oxbow/sdk";
import { connect } from "@oxbow/fleet/internal";
import { afterAll, expect, it } from "vitest";
import { Chance } from "../audit/workload/chance.ts";
import type { TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { FaultyRelays } from "../helpers/faulty-relays.ts";
import { createFleet, startRequest } from "../helpers/fleet.ts";
import { useSession } from "../helpers/idle-sessions.ts";
import { isQuiet, moveRoute } from "../helpers/moves-under-faults.ts";

const FIRST_SEED = Number(process.env["SEED"] ?? Math.trunc(Math.random() * 2 ** 31));
const SEEDS = Number(process.env["SHARD_SEEDS"] ?? 2);
const NAMES = ["a", "b", "c"] as const;
const CLIENTS = 4;
const ROUTES = 2;

type Name = (typeof NAMES)[number];

/** Facts of this seed: inputs of starts without a key that committed, and by key the runs that starts returned. */
let keyless: number[] = [];
let runsByKey = new Map<string, Set<string>>();
let nextId = 0;

const databaseOf = (name: Name): TestDatabase => fleet.databases[name];

const fleet = await createFleet(NAMES.length);
const transport = connect({ shards: fleet.shards });

afterAll(() => transport.close());

function noteKey(key: string, run: string | undefined): void {
  const runs = runsByKey.get(key) ?? new Set();
  if (run !== undefined) runs.add(run);
  runsByKey.set(key, runs);
}

/** A start by a client of the fleet, which follows route and key, and is repeated if its session has ended. */
async function startDirectly(route: string, key: string, id: number): Promise<void> {
  const request = startRequest({
    workflow: "moved",
    input: JSON.stringify(id),
    idempotencyKey: key,
    route,
  });
  for (;;) {
    try {
      const { runId } = await transport.runs.start(request);
      noteKey(key, runId);
      return;
    } catch (error) {
      if (!(error instanceof ConnectionFailed)) throw error;
    }
  }
}

async function startElsewhere(
  chance: Chance,
  route: string,
  key: string | undefined,
  id: number,
): Promise<void> {
  const from = databaseOf(chance.pick(NAMES));
  const commits = chance.next() < 0.8;
  try {
    await useSession(from, async (session) => {
      await session.query("begin");
      await session.query(
        "select queue.workflow_start_elsewhere($1, 'moved', to_jsonb($2::integer), idempotency_key => $3)",
        [route, id, key ?? null],
      );
      if (chance.next() < 0.3) await session.query("select pg_sleep($1)", [chance.next() * 0.1]);
      await session.query(commits ? "commit" : "rollback");
    });
  } catch (error) {
    // The run that has the key is in another shard, or on its way to this one.
    if ((error as { code?: string }).code !== "OX029") throw error;
    return;
  }
  if (!commits) return;
  if (key === undefined) keyless.push(id);
  else noteKey(key, undefined);
}

async function act(seed: number, chance: Chance): Promise<void> {
  for (let n = chance.between(4, 8); n > 0; n--) {
    const id = nextId++;
    const route = routeOf(seed, chance.between(0, ROUTES - 1));
    const key = chance.next() < 0.7 ? `${route}/${chance.between(0, 4)}` : undefined;
    if (key !== undefined && chance.next() < 0.6) await startDirectly(route, key, id);
    else await startElsewhere(chance, route, key, id);
  }
}

const routeOf = (seed: number, n: number): string => `r${seed}-${n}`;

/** Returns false if another move was faster. */
async function moveTo(route: string, target: string, withRuns: boolean): Promise<boolean> {
  try {
    await moveRoute(transport, route, target, withRuns);
    return true;
  } catch (error) {
    if (error instanceof InvalidArgument && OVERTAKEN.test(error.message)) return false;
    throw error;
  }
}

const OVERTAKEN = /^Another move has made|^The routes are not at home in another shard/;

/** One or two concurrent moves of a route. */
async function moveSome(seed: number, chance: Chance): Promise<void> {
  const route = routeOf(seed, chance.between(0, ROUTES - 1));
  const moves = Array.from({ length: chance.between(1, 2) }, () =>
    moveTo(route, chance.pick(NAMES), chance.next() < 0.7),
  );
  expect(await Promise.all(moves), `moves of ${route}`).toContain(true);
}

const waitUntilQuiet = (): Promise<boolean> => eventually(() => isQuiet(transport), true);

interface Found {
  readonly shard: Name;
  readonly run: string;
  readonly route: string;
  readonly key: string | null;
  readonly input: number;
}

async function runsOf(seed: number): Promise<Found[]> {
  const found = await Promise.all(
    NAMES.map((shard) =>
      databaseOf(shard).query<Found & Record<string, unknown>>(
        `select $1::text as shard, run_id::text as run, route, idempotency_key as key, input
         from queue.workflow_run where route like $2 || '-%'`,
        [shard, `r${seed}`],
      ),
    ),
  );
  return found.flat();
}

async function check(seed: number, homes: ReadonlyMap<string, string>): Promise<void> {
  const found = await runsOf(seed);
  expect(new Set(found.map(({ run }) => run)).size, `runs in two shards, seed ${seed}`).toBe(
    found.length,
  );
  const inputs = found.filter(({ key }) => key === null).map(({ input }) => input);
  expect(inputs.toSorted(byNumber), `starts, seed ${seed}`).toEqual(keyless.toSorted(byNumber));
  const keys = found.flatMap(({ key }) => key ?? []);
  expect(keys.toSorted(), `keys, seed ${seed}`).toEqual([...runsByKey.keys()].toSorted());
  for (const [key, runs] of runsByKey) {
    const run = found.find((one) => one.key === key)?.run ?? "";
    expect(
      [...runs].filter((one) => one !== run),
      `runs of ${key}, seed ${seed}`,
    ).toEqual([]);
  }
  for (const { route, run, shard } of found) {
    expect({ run, shard }, `seed ${seed}`).toEqual({ run, shard: homes.get(route) });
  }
}

const byNumber = (one: number, other: number): number => one - other;

async function tryOut(seed: number): Promise<void> {
  const chance = new Chance(seed);
  [keyless, runsByKey] = [[], new Map()];
  const relays = new FaultyRelays(fleet, transport, chance);
  const homes = new Map<string, string>();
  try {
    const acting = Promise.all(
      Array.from({ length: CLIENTS }, (_, n) => act(seed, new Chance(seed * CLIENTS + n))),
    );
    for (let moves = chance.between(2, 4); moves > 0; moves--) {
      await moveSome(seed, chance);
      if (chance.next() < 0.5) relays.kill(chance);
    }
    await acting;
    for (let n = 0; n < ROUTES; n++) {
      const home = chance.pick(NAMES);
      homes.set(routeOf(seed, n), home);
      await waitUntilQuiet();
      expect(await moveTo(routeOf(seed, n), home, true)).toBe(true);
    }
    await waitUntilQuiet();
  } finally {
    await relays.stop();
  }
  await check(seed, homes);
}

it(
  `keep one run for each key, under faults (${SEEDS} seeds from ${FIRST_SEED})`,
  async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) await tryOut(seed);
    const maps = await Promise.all(
      NAMES.map(async (name) => transport.fleet?.shard(name).shards?.map()),
    );
    for (const map of maps) expect({ ...map, own: 0 }).toEqual({ ...maps[0], own: 0 });
    for (const name of NAMES) {
      expect(await databaseOf(name).query("select * from queue.check_invariants()")).toEqual([]);
    }
  },
  60_000 + SEEDS * 30_000,
);
