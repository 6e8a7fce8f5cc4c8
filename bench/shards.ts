/**
 * Throughput of 1, 2 and 4 shards. On one machine several servers are slower than one, so each gets its own small machine: a
 * share of a processor, by a control group, and less than the machine has in all. `make bench-shards ROUNDS=6`
 *
 * Rounds of all subjects alternate. No two subjects share a server. A measurement counts only if the machine was under 75% busy and the servers had used
 * up their share: otherwise the machine was measured, not the shards.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { initFleet } from "@oxbow/fleet/internal";
import { migrate } from "@oxbow/sdk/internal/server";
import { type Cluster, startPostgres } from "@oxbow/sdk/testing";
import { describeMachine } from "./machine.ts";
import { table } from "./markdown.ts";
import { CpuQuota } from "./measure/cpu-quota.ts";
import { cpuTime } from "./measure/cpu.ts";
import { median } from "./measure/stats.ts";
import type { ShardsLoad, ShardsLoadResult } from "./shards-load.ts";

const isQuick = (process.env["QUICK"] ?? "") !== "";
const ROUNDS = Number(process.env["ROUNDS"] ?? (isQuick ? 3 : 6));
const CORES = Number(process.env["CORES"] ?? 0.15);
/** Without a quota: the connections would take a capped server half a minute. */
const WARM_UP_MS = isQuick ? 4_000 : 10_000;
const SETTLE_MS = 3_000;
const WINDOW_MS = isQuick ? 8_000 : 20_000;
const PAIRS_A_SHARD = 20;
const MOST_BUSY = 0.75;
const LEAST_USED = 0.9;
const NAMES = ["a", "b", "c", "d"];

interface Subject {
  readonly title: string;
  readonly shards: number;
  readonly isFleet: boolean;
  readonly crosses: boolean;
  /** Compares its throughput with that of another one, and the least ratio that is good. */
  readonly bar: { readonly of: string; readonly atLeast: number } | undefined;
}

const ONE = "a fleet of 1";
const subjects: readonly Subject[] = [
  { title: "one database, no fleet", shards: 1, isFleet: false, crosses: false, bar: undefined },
  {
    title: ONE,
    shards: 1,
    isFleet: true,
    crosses: false,
    bar: { of: "one database, no fleet", atLeast: 0.98 },
  },
  ...[2, 4].flatMap((shards): Subject[] => [
    {
      title: `${shards} shards`,
      shards,
      isFleet: true,
      crosses: false,
      bar: { of: ONE, atLeast: 0.9 * shards },
    },
    {
      title: `${shards} shards, 10% of steps cross`,
      shards,
      isFleet: true,
      crosses: true,
      bar: { of: ONE, atLeast: 0.8 * shards },
    },
  ]),
];

type Urls = Readonly<Record<string, string>>;

interface Measured {
  readonly stepsASecond: number;
  readonly serverMsAStep: number;
  readonly workerMsAStep: number;
  /** The share of the machine's time that was not idle. */
  readonly busy: number;
  /** The share of their quota that the servers have used. */
  readonly used: number;
}

const hasCounted = ({ busy, used }: Measured): boolean => busy < MOST_BUSY && used > LEAST_USED;

async function measure(
  subject: Subject,
  urls: Urls,
  servers: readonly Server[],
): Promise<Measured> {
  const load: ShardsLoad = {
    urls,
    isFleet: subject.isFleet,
    crosses: subject.crosses,
    pairsAShard: PAIRS_A_SHARD,
    warmUpMs: WARM_UP_MS,
    settleMs: SETTLE_MS,
    windowMs: WINDOW_MS,
  };
  const script = fileURLToPath(new URL("shards-load.ts", import.meta.url));
  const child = spawn(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), script, JSON.stringify(load)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const marks: Mark[] = [];
  const lines: string[] = [];
  createInterface(child.stdout).on("line", (line) => {
    if (line === "warm") {
      for (const { quota } of servers) quota.set(CORES);
      return;
    }
    marks.push(markNow(servers));
    lines.push(line);
    if (line !== "begins") for (const { quota } of servers) quota.lift();
  });
  await once(child, "close");
  const [begin, end] = marks;
  if (child.exitCode !== 0 || begin === undefined || end === undefined) {
    throw new Error(`${subject.title}: the load ended with ${child.exitCode}.`);
  }
  const { steps, seconds, cpuMs } = JSON.parse(lines[1] ?? "") as ShardsLoadResult;
  const serverMs = end.serverMs - begin.serverMs;
  return {
    stepsASecond: steps / seconds,
    serverMsAStep: serverMs / steps,
    workerMsAStep: cpuMs / steps,
    busy: 1 - (end.idleMs - begin.idleMs) / (end.machineMs - begin.machineMs),
    used: serverMs / ((end.at - begin.at) * CORES * subject.shards),
  };
}

/** A server on its small machine. */
interface Server {
  readonly cluster: Cluster;
  readonly quota: CpuQuota;
}

interface Mark {
  readonly at: number;
  /** CPU of the servers so far. */
  readonly serverMs: number;
  readonly machineMs: number;
  readonly idleMs: number;
}

function markNow(servers: readonly Server[]): Mark {
  const times = cpus().map((cpu) => cpu.times);
  return {
    at: performance.now(),
    serverMs: sum(servers.map(({ cluster }) => cpuTime(cluster.dataDir).database)),
    machineMs: sum(times.flatMap((one) => Object.values(one))),
    idleMs: sum(times.map(({ idle }) => idle)),
  };
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

/** The databases and servers of one subject: rows that another one leaves to be vacuumed must not use up its share. */
interface Fleet {
  readonly urls: Urls;
  readonly servers: readonly Server[];
}

async function startFleet(
  { title, shards, isFleet }: Subject,
  index: number,
  started: Server[],
): Promise<Fleet> {
  const named: { name: string; url: string }[] = [];
  for (const name of NAMES.slice(0, shards)) {
    const quota = CpuQuota.create(`oxbow-bench-${index}${name}`);
    const cluster = await startPostgres({ durable: true });
    started.push({ cluster, quota });
    quota.add(cluster.dataDir);
    const url = await cluster.createDatabase("shop");
    await migrate(url);
    named.push({ name: isFleet ? name : title, url });
  }
  if (isFleet) await initFleet(named);
  return {
    urls: Object.fromEntries(named.map(({ name, url }) => [name, url])),
    servers: started.slice(-shards),
  };
}

/** Each subject is the first one in one of the rounds. */
const inTurn = (round: number): readonly (readonly [number, Subject])[] => {
  const all = [...subjects.entries()];
  const first = (round - 1) % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
};

async function main(): Promise<void> {
  const started: Server[] = [];
  const results = new Map<Subject, Measured[]>(subjects.map((subject) => [subject, []]));
  try {
    const fleets: Fleet[] = [];
    for (const [index, subject] of subjects.entries()) {
      fleets.push(await startFleet(subject, index, started));
    }
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const [index, subject] of inTurn(round)) {
        const { urls = {}, servers = [] } = fleets[index] ?? {};
        const measured = await measure(subject, urls, servers);
        results.get(subject)?.push(measured);
        console.log(
          `${subject.title}, round ${round}: ${measured.stepsASecond.toFixed(0)} steps/s; machine ${percent(measured.busy)} busy, quota ${percent(measured.used)} used${hasCounted(measured) ? "" : "; dropped"}`,
        );
      }
    }
  } finally {
    await Promise.all(started.map(({ cluster }) => cluster.stop({ mode: "immediate" })));
    await Promise.all(started.map(({ quota }) => quota.remove()));
  }
  const report = reportOf(results);
  writeFileSync(new URL("results/shards.md", import.meta.url), report);
  console.log(report);
}

const percent = (share: number): string => `${(100 * share).toFixed(0)}%`;

function reportOf(results: ReadonlyMap<Subject, readonly Measured[]>): string {
  const counted = new Map(
    [...results].map(([{ title }, all]) => [title, median(all.filter(hasCounted).map(stepsOf))]),
  );
  const rows = [...results].map(([{ title, bar }, all]) => {
    const kept = all.filter(hasCounted);
    const ratio = (counted.get(title) ?? Number.NaN) / (counted.get(bar?.of ?? "") ?? Number.NaN);
    return [
      title,
      shown(counted.get(title), 0),
      bar === undefined ? "" : shown(ratio, 2),
      bar === undefined ? "" : `≥ ${bar.atLeast.toFixed(2)}`,
      `${kept.length} of ${all.length}`,
      shown(median(kept.map(({ serverMsAStep }) => serverMsAStep)), 3),
      shown(median(kept.map(({ workerMsAStep }) => workerMsAStep)), 3),
      all.map((one) => `${stepsOf(one).toFixed(0)}${hasCounted(one) ? "" : "*"}`).join(", "),
    ];
  });
  const heads = [
    "",
    "steps/s, median",
    "ratio",
    "bar",
    "rounds that count",
    "server, ms of CPU a step",
    "worker, ms of CPU a step",
    "all rounds, steps/s (* dropped)",
  ];
  const all = [...results.values()].flat();
  return `${[
    `${describeMachine()}, ${new Date().toISOString().slice(0, 10)}. Each shard has ${CORES} of a core, and windows of ${WINDOW_MS / 1_000} s follow a warm-up without this limit. A round counts if the machine was under ${percent(MOST_BUSY)} busy and the servers used over ${percent(LEAST_USED)} of their share: ${all.filter(hasCounted).length} of ${all.length} did. The fleets of several shards are compared with a fleet of 1, which is compared with a database that is in no fleet.`,
    table(heads, rows),
  ].join("\n\n")}\n`;
}

const stepsOf = ({ stepsASecond }: Measured): number => stepsASecond;

const shown = (value: number | undefined, digits: number): string =>
  value === undefined || Number.isNaN(value) ? "–" : value.toFixed(digits);

await main();
