/**
 * Items that cross shards under faults, from a seed: clients in both shards send to runs of both, roll back and repeat
 * commits, and runs move to and fro, while relays die at any point and sessions are ended. Afterwards every committed
 * cause has one effect, no other cause has any (X2), every run is in one shard (X1), and the invariants of each shard hold
 * (X7).
 *
 * `SEED=7 SHARD_SEEDS=1000` begins elsewhere and takes more; `make test-shard-seeds` takes 1,000.
 */
import { connect } from "@oxbow/fleet/internal";
import type { Transport } from "@oxbow/sdk/internal/server";
import type pg from "pg";
import { afterAll, expect } from "vitest";
import { Chance } from "../audit/workload/chance.ts";
import type { TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { FaultyRelays } from "../helpers/faulty-relays.ts";
import { createFleet } from "../helpers/fleet.ts";
import { useSession } from "../helpers/idle-sessions.ts";
import {
  CLIENTS,
  itHasOneEffectForEveryCause,
  type Name,
  NAMES,
  otherOf,
} from "../helpers/shard-seeds.ts";

interface Cause {
  readonly id: number;
  readonly client: number;
  readonly from: Name;
  readonly to: Name;
  readonly run: string;
}

const causes: Cause[] = [];
let nextId = 0;

const databaseOf = (name: Name): TestDatabase => fleet.databases[name];
const shardOf = (name: Name): Transport => transport.fleet?.shard(name) as Transport;

const fleet = await createFleet();
const transport = connect({ shards: fleet.shards });

afterAll(() => transport.close());

/** Those of one client, in both shards. */
const useSessions = (use: (sessions: Record<Name, pg.Client>) => Promise<void>): Promise<void> =>
  useSession(databaseOf("a"), (a) => useSession(databaseOf("b"), (b) => use({ a, b })));

/** A client: transactions one after another, of which some roll back. */
async function send(
  client: number,
  chance: Chance,
  runs: Record<Name, string[]>,
  sessions: Record<Name, pg.Client>,
): Promise<void> {
  for (let n = chance.between(2, 5); n > 0; n--) {
    const from = chance.pick(NAMES);
    const session = sessions[from];
    const begun: Cause[] = [];
    await session.query("begin");
    let isBroken = false;
    for (let signals = chance.between(1, 3); signals > 0; signals--) {
      // Signals to several runs of the same shard may end in a deadlock with those of another client.
      const isFirst = begun.length === 0;
      const to = isFirst && chance.next() < 0.4 ? from : otherOf(from);
      const cause = { id: nextId++, client, from, to, run: chance.pick(runs[to]) };
      try {
        await session.query("select queue.workflow_signal($1, 'go', $2)", [
          cause.run,
          JSON.stringify({ id: cause.id, client }),
        ]);
      } catch (error) {
        // Runs that have moved here may make it two of the same shard after all.
        if ((error as { code?: string }).code !== "40P01") throw error;
        isBroken = true;
        break;
      }
      begun.push(cause);
    }
    const commits = chance.next() < 0.8 && !isBroken;
    // For so long that later ids commit first, and are delivered.
    if (chance.next() < 0.2 && !isBroken)
      await session.query("select pg_sleep($1)", [chance.next() * 0.25]);
    await session.query(commits ? "commit" : "rollback");
    if (commits) causes.push(...begun);
  }
}

/** Moves some runs, if they are where they are looked for. Returns all that have moved. */
async function moveRuns(chance: Chance, runs: readonly string[]): Promise<Set<string>> {
  const moved = new Set<string>();
  for (let moves = chance.between(0, 4); moves > 0; moves--) {
    const run = chance.pick(runs);
    const from = chance.pick(NAMES);
    await databaseOf(from).query("select pg_sleep($1)", [chance.next() * 0.03]);
    try {
      await databaseOf(from).query("select queue.hand_over_run($1, $2)", [run, otherOf(from)]);
      moved.add(run);
    } catch (error) {
      const code = (error as { code?: string }).code ?? "";
      // It is in the other shard, or on its way from there, or has just arrived; or in a deadlock with a client.
      if (!["OX005", "OX028", "OX029", "40001", "40P01"].includes(code)) throw error;
    }
  }
  return moved;
}

async function startRuns(name: Name, count: number): Promise<string[]> {
  const rows = await databaseOf(name).query<{ run_id: string }>(
    `select run_id::text from queue.workflow_start_batch('crossed', array_fill(null::jsonb, array[$1::integer]))`,
    [count],
  );
  return rows.map(({ run_id: id }) => id);
}

/** The signals that have arrived in a shard at some runs, in order. */
async function arrived(
  name: Name,
  runs: readonly string[],
): Promise<{ id: number; run: string }[]> {
  const rows = await databaseOf(name).query<{ id: number; run: string }>(
    `select run_id::text as run, (payload -> 'id')::integer as id
     from queue.workflow_buffered_signal where run_id = any ($1) order by signal_id`,
    [runs],
  );
  return rows;
}

/** Those of some runs that are in a shard. */
async function present(name: Name, runs: readonly string[]): Promise<string[]> {
  const rows = await databaseOf(name).query<{ run: string }>(
    "select run_id::text as run from queue.workflow_run where run_id = any ($1)",
    [runs],
  );
  return rows.map(({ run }) => run);
}

async function isEmpty(name: Name): Promise<boolean> {
  const pending = await shardOf(name).shards?.pending();
  return pending?.length === 0;
}

async function tryOut(seed: number): Promise<void> {
  const chance = new Chance(seed);
  causes.length = 0;
  const runs = { a: await startRuns("a", 2), b: await startRuns("b", 2) };
  let moved = new Set<string>();
  const relays = new FaultyRelays(fleet, transport, chance);
  try {
    const all = [...runs.a, ...runs.b];
    const moving = moveRuns(new Chance(seed * 7 + 3), all);
    const sending = Promise.all(
      Array.from({ length: CLIENTS }, (_, client) =>
        useSessions((sessions) =>
          send(client, new Chance(seed * CLIENTS + client), runs, sessions),
        ),
      ),
    );
    for (let kills = chance.between(0, 3); kills > 0; kills--) {
      await databaseOf("a").query("select pg_sleep($1)", [chance.next() * 0.02]);
      relays.kill(chance);
    }
    await sending;
    moved = await moving;
    await eventually(
      () => Promise.all(NAMES.map(isEmpty)),
      (empty) => !empty.includes(false),
    );
  } finally {
    await relays.stop();
  }
  const all = [...runs.a, ...runs.b];
  const found = (await Promise.all(NAMES.map((name) => arrived(name, all)))).flat();
  expect(found.map(({ id, run }) => `${id} at ${run}`).toSorted(), `effects, seed ${seed}`).toEqual(
    causes.map(({ id, run }) => `${id} at ${run}`).toSorted(),
  );
  const places = (await Promise.all(NAMES.map((name) => present(name, all)))).flat();
  expect(places.toSorted(), `places, seed ${seed}`).toEqual(all.toSorted());
  // Signals that one client sends from one shard to one run of the other arrive in its order, unless it moves.
  for (const run of all.filter((one) => !moved.has(one))) {
    for (let client = 0; client < CLIENTS; client++) {
      const sent = causes.filter(
        (cause) => cause.run === run && cause.client === client && cause.from !== cause.to,
      );
      const ids = new Set(sent.map(({ id }) => id));
      const order = found.filter((one) => one.run === run && ids.has(one.id)).map(({ id }) => id);
      expect(order, `order at run ${run}, seed ${seed}`).toEqual(sent.map(({ id }) => id));
    }
  }
}

itHasOneEffectForEveryCause(tryOut, databaseOf);
