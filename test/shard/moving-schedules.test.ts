/**
 * Schedules whose routes move between three shards under faults, from a seed, while they tick and clients change them:
 * each tick starts one run (X4), no tick is lost, and the invariants of all shards hold (X7). In another test, workers
 * and the moving command are killed.
 *
 * `SEED=7 SHARD_SEEDS=1000` begins elsewhere and takes more; `make test-shard-seeds` takes 1,000.
 */
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "@oxbow/fleet/internal";
import { Ticker, type Transport } from "@oxbow/sdk/internal/server";
import { afterAll, expect, it } from "vitest";
import { Chance } from "../audit/workload/chance.ts";
import { OXBOW } from "../helpers/command.ts";
import type { TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { FaultyRelays } from "../helpers/faulty-relays.ts";
import { createFleet, pairsOf } from "../helpers/fleet.ts";
import { isQuiet, moveRoute, persist } from "../helpers/moves-under-faults.ts";
import { startMovingWorker } from "../helpers/moving-workers.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";

const FIRST_SEED = Number(process.env["SEED"] ?? Math.trunc(Math.random() * 2 ** 31));
const SEEDS = Number(process.env["SHARD_SEEDS"] ?? 2);
const NAMES = ["a", "b", "c"] as const;
const ROUTES = 2;

const databaseOf = (name: string): TestDatabase => fleet.databases[name] as TestDatabase;
const schedulesOf = (route: string): string[] => [route, `${route}/second`];

const fleet = await createFleet(NAMES.length);
const transport = connect({ shards: fleet.shards });
await databaseOf("a").query("create table call (run_id bigint, step text)");

afterAll(() => transport.close());

type Request = Parameters<Transport["schedules"]["create"]>[0];

const requestOf = (name: string, workflow: string): Request => ({
  name,
  workflow,
  version: 1,
  cron: undefined,
  everySeconds: 1,
  timeZone: undefined,
  input: '{"steps":0,"ms":0}',
  tags: undefined,
  retentionDays: undefined,
  jitterMs: undefined,
  catchUp: "backfill",
  catchUpLimit: 1000,
  graceMs: undefined,
  overlap: undefined,
});

/** The seconds of the runs of a schedule, in all shards. */
async function ticksOf(name: string): Promise<number[]> {
  const found = await Promise.all(
    NAMES.map((shard) =>
      databaseOf(shard).query<{ at: string }>(
        `select extract(epoch from scheduled_at)::bigint::text as at from queue.workflow_run
         where tags ->> 'schedule' = $1`,
        [name],
      ),
    ),
  );
  return found
    .flat()
    .map(({ at }) => Number(at))
    .toSorted((one, other) => one - other);
}

async function hasTicked(names: readonly string[], until: number): Promise<boolean> {
  const found = await Promise.all(names.map(ticksOf));
  return found.every((ticks) => (ticks.at(-1) ?? 0) >= until);
}

async function expectEachSecond(names: readonly string[], context: string): Promise<void> {
  for (const name of names) {
    const ticks = await ticksOf(name);
    const [first = 0] = ticks;
    expect(ticks, `${name}, ${context}`).toEqual(ticks.map((_, index) => first + index));
  }
  for (const name of NAMES) {
    expect(await databaseOf(name).query("select * from queue.check_invariants()")).toEqual([]);
  }
}

const nowSeconds = async (): Promise<number> => {
  const [row] = await databaseOf("a").query<{ now: string }>(
    "select ceil(extract(epoch from clock_timestamp()))::text as now",
  );
  return Number(row?.now);
};

/** Several in each shard; sessions of theirs end with those of relays. */
function startTickers(): { stop(): Promise<void> } {
  const lanes = transport.fleet?.lanes ?? [];
  const tickers = [...lanes, ...lanes].flatMap(({ transport: { ticks } }) =>
    ticks === undefined ? [] : new Ticker({ transport: ticks, events: { emit: () => {} } }),
  );
  for (const ticker of tickers) ticker.start();
  return { stop: async () => void (await Promise.all(tickers.map((ticker) => ticker.stop()))) };
}

/** Creates schedules that exist: where they are, they are known, and no second one is created. */
async function change(
  seed: number,
  chance: Chance,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const name = chance.pick(names);
    expect(await persist(() => createSchedule(name, "ticked")), `${name}, seed ${seed}`).toBe(
      "unchanged",
    );
    await delay(20);
  }
}

const createSchedule = (name: string, workflow: string) =>
  transport.schedules.create(requestOf(name, workflow));

const deleteSchedule = (name: string) => transport.schedules.delete(name);

async function tryOut(seed: number): Promise<void> {
  const chance = new Chance(seed);
  const routes = Array.from({ length: ROUTES }, (_, n) => `s${seed}-${n}`);
  const names = routes.flatMap(schedulesOf);
  for (const name of names) await persist(() => createSchedule(name, "ticked"));
  const tickers = startTickers();
  const relays = new FaultyRelays(fleet, transport, chance);
  const stop = new AbortController();
  try {
    const changing = change(seed, chance, names, stop.signal);
    for (let moves = chance.between(3, 6); moves > 0; moves--) {
      const [route, target] = [chance.pick(routes), chance.pick(NAMES)];
      await moveRoute(transport, route, target, chance.next() < 0.5);
      if (chance.next() < 0.5) relays.kill(chance);
      await delay(chance.between(0, 700));
    }
    stop.abort();
    await changing;
    await eventually(() => isQuiet(transport), true);
    const until = await nowSeconds();
    await eventually(() => hasTicked(names, until), true);
    // A session may still end, and the answer of a deletion with it.
    for (const name of names) {
      await persist(() => deleteSchedule(name));
      expect(await persist(() => deleteSchedule(name))).toBe(false);
    }
  } finally {
    stop.abort();
    await relays.stop();
    await tickers.stop();
  }
  await expectEachSecond(names, `seed ${seed}`);
}

it(
  `start one run a tick, under faults (${SEEDS} seeds from ${FIRST_SEED})`,
  async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) await tryOut(seed);
  },
  60_000 + SEEDS * 30_000,
);

const pairs = (): string[] => pairsOf(fleet.shards);

const startWorker = (): Promise<WorkerProcess> => startMovingWorker("1s", fleet.shards);

it("start one run a tick while workers and the command are killed", async () => {
  const names = schedulesOf("killed");
  for (const name of names) await persist(() => createSchedule(name, "moving"));
  const workers = [await startWorker(), await startWorker()];
  const targets = ["b", "c", "a"];
  for (const target of targets) {
    const args = ["shards", "move", ...pairs(), "--route", "killed", "--to", target];
    for (const ms of [300, 700]) {
      const command = startWorkerProcess(OXBOW, { args });
      await delay(ms);
      await Promise.all([command.kill(), workers.shift()?.kill()]);
      workers.push(await startWorker());
    }
    const command = startWorkerProcess(OXBOW, { args });
    const { code } = await command.end();
    expect({ code, output: command.output }).toMatchObject({ code: 0 });
  }
  const until = await nowSeconds();
  // A ticker that was killed has leased its tick for half a minute.
  await eventually(() => hasTicked(names, until), true, { withinMs: 90_000 });
  for (const name of names) {
    expect(await databaseOf("a").query("select queue.schedule_delete($1) as done", [name])).toEqual(
      [{ done: true }],
    );
  }
  await Promise.all(workers.map((worker) => worker.kill()));
  await expectEachSecond(names, "killed");
}, 480_000);
