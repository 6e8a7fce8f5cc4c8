/**
 * The load of `make bench-shards`, in a process: a worker, and a client that keeps a number of pairs of runs under way in
 * each shard. A pair has ten steps, one of which is a signal from one run to the other, in the same shard or across.
 * Prints a line when it has warmed up, one when its window begins, and one with what it has done when it ends: `shards-load.ts <json>`.
 */
import { setTimeout as delay } from "node:timers/promises";
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";

export interface ShardsLoad {
  /** Urls by the names of shards; one database without a name is no fleet. */
  readonly urls: Readonly<Record<string, string>>;
  readonly isFleet: boolean;
  /** The runs of a pair are in different shards. */
  readonly crosses: boolean;
  readonly pairsAShard: number;
  readonly warmUpMs: number;
  /** Between the warm-up and the window. */
  readonly settleMs: number;
  readonly windowMs: number;
}

export interface ShardsLoadResult {
  /** Steps that were called in the window. */
  readonly steps: number;
  readonly seconds: number;
  /** CPU of this process in the window. */
  readonly cpuMs: number;
}

const load = JSON.parse(process.argv[2] ?? "") as ShardsLoad;
let calls = 0;
const step = (): number => (calls += 1);

const receiver = workflow({
  name: "receiver",
  run: async (ctx) => {
    for (let n = 1; n <= 5; n += 1) await ctx.step.run(`s${n}`, step);
    await ctx.step.waitForEvent("go");
  },
});
const sender = workflow({
  name: "sender",
  run: async (ctx, to: string) => {
    for (let n = 1; n <= 4; n += 1) await ctx.step.run(`s${n}`, step);
    await ctx.step.signal("signal", to, "go");
  },
});

const names = Object.keys(load.urls);
const [first = ""] = Object.values(load.urls);
const connection = load.isFleet ? { shards: load.urls } : { url: first };
const client = createWorkflowClient(connection);
const worker = createWorker({
  ...connection,
  workflows: [receiver, sender],
  concurrency: names.length * load.pairsAShard * 2,
  localStarts: false,
});

async function routeOf(shard: string): Promise<string> {
  for (let n = 0; ; n += 1) if ((await client.home(`tenant-${n}`)) === shard) return `tenant-${n}`;
}

const routes = load.isFleet ? await Promise.all(names.map(routeOf)) : [undefined];
const over = new AbortController();

async function keepPairsUnderWay(at: number): Promise<void> {
  const own = routes[at];
  const other = load.crosses ? routes[(at + 1) % routes.length] : own;
  while (!over.signal.aborted) {
    const to = await client.start(receiver, undefined, own === undefined ? {} : { route: own });
    await client.start(sender, to.runId, other === undefined ? {} : { route: other });
    await to.result({ timeout: "5m" });
  }
}

const pairs = routes.flatMap((_, at) =>
  Array.from({ length: load.pairsAShard }, () => keepPairsUnderWay(at)),
);
await delay(load.warmUpMs);
process.stdout.write("warm\n");
await delay(load.settleMs);
process.stdout.write("begins\n");
const [from, before, cpu] = [performance.now(), calls, process.cpuUsage()];
await delay(load.windowMs);
const { user, system } = process.cpuUsage(cpu);
const result: ShardsLoadResult = {
  // Each ninth call of a callback comes with a signal, which is the tenth step of its pair.
  steps: ((calls - before) * 10) / 9,
  seconds: (performance.now() - from) / 1_000,
  cpuMs: (user + system) / 1_000,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
over.abort();
await Promise.all(pairs);
await worker.stop();
await client.close();
