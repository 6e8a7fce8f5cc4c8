/**
 * Availability comes from an engine that exists: each shard is a primary and a synchronous standby under Patroni, and
 * Oxbow follows. Under load from worker and starter processes, the primary of one shard is killed. Nothing acknowledged is
 * lost, nothing is done twice, and the other shard doesn't notice. The same with one database. `make test-ha` runs it.
 */
import { cpus } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { initFleet } from "@oxbow/fleet/internal";
import { migrate } from "@oxbow/sdk/internal/server";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { hasPatroni, PatroniCluster, startEtcd } from "../helpers/patroni.ts";
import {
  type EndedRun,
  PayingStarter,
  preparePayments,
  requireSound,
  routeIn,
  startPayingWorker,
} from "../helpers/payments.ts";

const RUNS_A_SECOND = 10;
const WINDOW_MS = 15_000;
const MOST = 1.2;
/** A machine that is busier says nothing about latencies. */
const MOST_BUSY = 0.75;

describe.runIf(hasPatroni)("under Patroni", () => {
  let a: PatroniCluster;
  let b: PatroniCluster;

  beforeAll(async () => {
    const etcd = await startEtcd();
    [a, b] = await Promise.all([PatroniCluster.start("a", etcd), PatroniCluster.start("b", etcd)]);
  });

  it("a fleet follows to the promoted standby of a shard, and the other shard doesn't notice", async () => {
    const clusters = { a, b };
    const shards = {
      a: await a.createDatabase("shop"),
      b: await b.createDatabase("shop"),
    };
    for (const [name, cluster] of Object.entries(clusters)) {
      await migrate(shards[name as "a" | "b"]);
      await preparePayments((text) => cluster.onPrimary("shop", text));
    }
    await initFleet(Object.entries(shards).map(([name, url]) => ({ name, url })));
    const environment = { QUEUE_URL: "", QUEUE_SHARDS: `a=${shards.a} b=${shards.b}` };
    const workers = [startPayingWorker(environment), startPayingWorker(environment)];
    const startIn = async (name: "a" | "b"): Promise<PayingStarter> =>
      new PayingStarter(environment, {
        name,
        perSecond: RUNS_A_SECOND,
        route: await routeIn(shards, name),
      });
    const [here, there] = [await startIn("a"), await startIn("b")];
    await untilMore(here, 20);
    await untilMore(there, 20);

    const before = await observe(here);
    const killed = await b.killPrimary();
    const killedAt = Date.now();
    const [during] = await Promise.all([observe(here), b.hasReplaced(killed)]);
    await untilMore(there, 20);
    await b.returns(killed);
    const after = await observe(here);
    await Promise.all([here.finish(), there.finish()]);

    await requireSound((text) => a.onPrimary("shop", text), here.acknowledged());
    await requireSound((text) => b.onPrimary("shop", text), there.acknowledged());
    expect(here.lost()).toEqual([]);
    await Promise.all(workers.map((worker) => worker.stop()));
    report(`shard b: ${pauseOf(there, killedAt)}`);
    const usual = Math.max(before.p95, after.p95);
    report(
      `shard a: p95 ${before.p95} ms before, ${during.p95} ms during the failover of b, ${after.p95} ms after; ratio ${(during.p95 / usual).toFixed(2)}`,
    );
    const busy = Math.max(before.busy, during.busy, after.busy);
    const isTooBusy = busy > MOST_BUSY;
    report(`the machine was ${Math.round(busy * 100)}% busy${isTooBusy ? ": not judged" : ""}`);
    expect(isTooBusy ? 0 : during.p95 / usual).toBeLessThan(MOST);
  });

  it("one database follows to the promoted standby, and back", async () => {
    const url = await a.createDatabase("alone");
    await migrate(url);
    await preparePayments((text) => a.onPrimary("alone", text));
    const environment = { QUEUE_URL: url };
    const workers = [startPayingWorker(environment), startPayingWorker(environment)];
    const starter = new PayingStarter(environment, { name: "alone", perSecond: RUNS_A_SECOND });
    for (let round = 0; round < 2; round += 1) {
      await untilMore(starter, 20);
      const killed = await a.killPrimary();
      const killedAt = Date.now();
      await a.hasReplaced(killed);
      await untilMore(starter, 20);
      await a.returns(killed);
      report(`one database: ${pauseOf(starter, killedAt)}`);
    }
    await starter.finish();
    await requireSound((text) => a.onPrimary("alone", text), starter.acknowledged());
    await Promise.all(workers.map((worker) => worker.stop()));
  });
});

/** That many more runs have begun and ended. */
async function untilMore(starter: PayingStarter, runs: number): Promise<void> {
  const from = Date.now();
  await eventually(
    () => starter.ended().filter(({ at }) => at >= from),
    (ended) => ended.length >= runs,
    { withinMs: 120_000 },
  );
}

interface Observed {
  readonly p95: number;
  /** The share of the machine's time that was not idle. */
  readonly busy: number;
}

async function observe(starter: PayingStarter): Promise<Observed> {
  const [from, times] = [Date.now(), machineTimes()];
  await delay(WINDOW_MS);
  const [to, later] = [Date.now(), machineTimes()];
  const isIn = ({ at }: EndedRun): boolean => at >= from && at < to;
  await untilMore(starter, 1);
  const durations = starter
    .ended()
    .filter(isIn)
    .map(({ ms }) => ms);
  expect(durations.length).toBeGreaterThan((WINDOW_MS / 1_000) * RUNS_A_SECOND * 0.5);
  durations.sort((one, other) => one - other);
  return {
    p95: durations[Math.floor(durations.length * 0.95)] ?? Number.NaN,
    busy: 1 - (later.idle - times.idle) / (later.all - times.all),
  };
}

function machineTimes(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.flatMap((one) => Object.values(one)).reduce((sum, ms) => sum + ms, 0);
  return { idle: times.reduce((sum, one) => sum + one.idle, 0), all };
}

/** How long no run ended after the kill. */
function pauseOf(starter: PayingStarter, killedAt: number): string {
  const ends = starter.ended().map(({ at, ms }) => at + ms);
  const next = Math.min(...ends.filter((end) => end > killedAt + 1_000));
  return `${((next - killedAt) / 1_000).toFixed(1)} s from the kill of the primary to the next end of a run, ${starter.lost().length} calls repeated`;
}

const report = (line: string): void => void process.stdout.write(`${line}\n`);
