/**
 * A tenant that moves under load, while its runs start and execute: no start fails, or is refused for long, a key has one
 * run (X3), no step is called twice (X6), and each run is in one shard (X1), also if the command is killed at any point.
 *
 * `make test-tenant` takes 10,000 runs, and judges the time for which a start was refused. Starts come at
 * intervals, whether the earlier ones have ended or not.
 */
import { setTimeout as delay } from "node:timers/promises";
import { WrongShard } from "@oxbow/sdk";
import { connect } from "@oxbow/fleet/internal";
import type { Transport } from "@oxbow/sdk/internal/server";
import { beforeEach, describe, expect, it } from "vitest";
import { OXBOW } from "../helpers/command.ts";
import type { TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { createFleet, pairsOf, startRequest, type TestFleet } from "../helpers/fleet.ts";
import { startMovingWorker } from "../helpers/moving-workers.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";

const RUNS = Number(process.env["TENANT_RUNS"] ?? 200);
const IS_MEASURED = process.env["TENANT_RUNS"] !== undefined;
/** In the suite, other tests take the processor meanwhile. */
const LONGEST_REFUSAL_MS = IS_MEASURED ? 100 : 5000;
const START_EVERY_MS = IS_MEASURED ? 10 : 30;
const STEPS = 4;
const NAMES = ["a", "b"] as const;

let fleet: TestFleet;
let transport: Transport;
/** At home in "a". */
let tenant: string;
/** Another one, at home in "b": as any application, this one already uses both shards. */
let neighbour: string;
/**
 * For each key, when its start was refused first, as a shard did not have the route, or not yet, and when it was tried
 * last.
 */
let refusals: Map<string, { readonly from: number; until: number; isOver: boolean }>;

beforeEach(async () => {
  fleet = await createFleet();
  transport = connect({ shards: fleet.shards });
  const own = transport;
  atFileEnd(() => own.close());
  await databaseOf("a").query("create table call (run_id bigint, step text)");
  tenant = await tenantOf("a");
  neighbour = await tenantOf("b");
  refusals = new Map();
  for (const { transport: lane } of transport.fleet?.lanes ?? []) countRefusals(lane.runs);
});

async function tenantOf(shard: string): Promise<string> {
  for (let n = 0; ; n += 1) {
    const name = `tenant-${n}`;
    if ((await transport.fleet?.home(name)) === shard) return name;
  }
}

function countRefusals(runs: Transport["runs"]): void {
  const take = runs.start.bind(runs);
  runs.start = async (request, tx) => {
    const key = request.idempotencyKey ?? "";
    const refused = refusals.get(key);
    if (refused?.isOver === false) refused.until = performance.now();
    try {
      return await take(request, tx);
    } catch (error) {
      const now = performance.now();
      const isRefused = error instanceof WrongShard;
      if (isRefused && refused === undefined) {
        refusals.set(key, { from: now, until: now, isOver: false });
      }
      // A key that leads to its run is no refusal.
      if (!isRefused && refused !== undefined) refused.isOver = true;
      throw error;
    }
  };
}

const databaseOf = (name: string): TestDatabase => fleet.databases[name] as TestDatabase;
const pairs = (): string[] => pairsOf(fleet.shards);
const startWorker = (lease: string): Promise<WorkerProcess> =>
  startMovingWorker(lease, fleet.shards);

const start = async (key: string, ms: number, route = tenant): Promise<string> => {
  const request = startRequest({
    workflow: "moving",
    input: JSON.stringify({ steps: STEPS, ms }),
    idempotencyKey: `${route}/${key}`,
    route,
  });
  return (await transport.runs.start(request)).runId;
};

/** Runs by key. */
type Started = Map<string, string>;

/** A start under load. */
interface Taken {
  readonly isNew: boolean;
  readonly ms: number;
  /** From the first refusal until a call was sent that was not refused; undefined if no call was refused. */
  readonly refusedMs: number | undefined;
}

/** Starts runs with new keys, and with keys that have one, until it is stopped. */
async function load(name: string, started: Started, signal: AbortSignal): Promise<Taken[]> {
  const taken: Taken[] = [];
  const take = async (key: string, isNew: boolean): Promise<void> => {
    const beganAt = performance.now();
    const run = await start(key, 5);
    const endedAt = performance.now();
    const refused = refusals.get(`${tenant}/${key}`);
    const refusedMs = refused === undefined ? undefined : refused.until - refused.from;
    taken.push({ isNew, ms: endedAt - beganAt, refusedMs });
    if (isNew) started.set(key, run);
    expect(started.get(key)).toBe(run);
  };
  const all: Promise<unknown>[] = [];
  for (let n = 0; !signal.aborted; n += 1) {
    all.push(take(`${name}-${n}`, true));
    // Once each, so that its refusals are those of one start.
    if (n < RUNS) all.push(take(`old-${n}`, false));
    if (n % 2 === 0) all.push(start(`${name}-${n}`, 5, neighbour));
    await delay(START_EVERY_MS);
  }
  await Promise.all(all);
  return taken;
}

function quantiles(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): number =>
    Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  return `${sorted.length} starts: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}

function report(what: string, taken: readonly Taken[]): void {
  if (!IS_MEASURED) return;
  for (const isNew of [true, false]) {
    const some = taken.filter((one) => one.isNew === isNew);
    const refused = some.flatMap(({ refusedMs }) => refusedMs ?? []);
    const longest = Math.round(Math.max(0, ...refused));
    process.stdout.write(
      `${what}, ${isNew ? "new" : "known"} keys: ${quantiles(some.map(({ ms }) => ms))}; ${refused.length} refused at first, for ${longest} ms at most\n`,
    );
  }
}

/** The command, which is killed after some of these times, and repeated. */
async function moveTenant(target: string, kills: readonly number[]): Promise<void> {
  const args = ["shards", "move", ...pairs(), "--route", tenant, "--to", target];
  for (const ms of kills) {
    const command = startWorkerProcess(OXBOW, { args });
    await delay(ms);
    await command.kill();
  }
  const command = startWorkerProcess(OXBOW, { args });
  const { code } = await command.end();
  expect({ code, output: command.output }).toMatchObject({ code: 0 });
}

async function startAll(): Promise<Started> {
  const started: Started = new Map();
  await Promise.all(
    Array.from({ length: RUNS }, async (_, n) => {
      started.set(`old-${n}`, await start(`old-${n}`, 20));
    }),
  );
  return started;
}

async function expectAllEnded(started: Started, shard: string): Promise<void> {
  const running = "select 1 from queue.workflow_run where status = 'running' limit 1";
  await eventually(
    async () => (await Promise.all(NAMES.map((name) => databaseOf(name).query(running)))).flat(),
    [],
    { withinMs: 60_000 + RUNS * 50 },
  );
  for (const name of NAMES) {
    const runs = await databaseOf(name).query<{ run: string }>(
      `select run_id::text as run from queue.workflow_run
       where status = 'completed' and output = '6' and route = $1 order by run_id`,
      [tenant],
    );
    const expected = name === shard ? [...started.values()].toSorted(byId) : [];
    expect(runs.map(({ run }) => run)).toEqual(expected);
    expect(await databaseOf(name).query("select * from queue.check_invariants()")).toEqual([]);
    expect(await databaseOf(name).query("select * from queue.departing")).toEqual([]);
  }
}

const byId = (one: string, other: string): number => Number(BigInt(one) - BigInt(other));

describe("a tenant", { timeout: 600_000 }, () => {
  it("moves under load and a killed command, and no step is called twice", async () => {
    const worker = await startWorker("30s");
    const started = await startAll();
    if (IS_MEASURED) report("Before", await load("before", started, AbortSignal.timeout(5_000)));
    const stop = new AbortController();
    const loading = load("new", started, stop.signal);
    await moveTenant("b", [300, 500]);
    await delay(100);
    stop.abort();
    const taken = await loading;
    report("During the move", taken);
    await expectAllEnded(started, "b");
    const twice = "select run_id, step from call group by run_id, step having count(*) > 1";
    expect(await databaseOf("a").query(twice)).toEqual([]);
    const refused = taken.flatMap(({ refusedMs }) => refusedMs ?? []);
    expect(Math.max(0, ...refused)).toBeLessThanOrEqual(LONGEST_REFUSAL_MS);
    await worker.kill();
  });

  it("moves there and back while its workers are killed", async () => {
    const workers = await Promise.all([startWorker("1s"), startWorker("1s")]);
    const started = await startAll();
    const stop = new AbortController();
    const loading = load("new", started, stop.signal);
    const moving = moveTenant("b", [400]).then(() => moveTenant("a", [600]));
    for (let kills = 0; kills < 6; kills += 1) {
      await delay(300);
      await workers.shift()?.kill();
      workers.push(await startWorker("1s"));
    }
    await moving;
    stop.abort();
    await loading;
    await expectAllEnded(started, "a");
    await Promise.all(workers.map((worker) => worker.kill()));
  });
});
