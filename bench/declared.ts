/**
 * `make bench-declared ROUNDS=20`: runs of five calls as a body in code, as a graph, and as graphs that decide: by a branch,
 * and by a guard on each call. And runs of ITEMS calls, by `step.map` and by `for_each`. By turns, in one process with one worker. The figures are those of the best round, which a busy
 * machine disturbs least; the ratios are the result. `NODE_RED=<folder>` measures Node-RED, if it is installed there.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { defineNode, workflowOf } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import { createWorkflowClient } from "@oxbow/sdk";
import {
  createWorker,
  type EventSchemas,
  type ServableWorkflow,
  workflow,
} from "@oxbow/sdk/runtime";
import { prepare } from "./environment.ts";
import { cpuTime, type CpuTime } from "./measure/cpu.ts";
import { databaseCost } from "./measure/database-cost.ts";
import { timed } from "./measure/timed.ts";
import { startNodeRed } from "./node-red.ts";

const ROUNDS = Number(process.env["ROUNDS"] ?? 20);
const RUNS = Math.round(500 * Number(process.env["SCALE"] ?? 1));
const ITEMS = Number(process.env["ITEMS"] ?? 10_000);
const CALLS = ["c1", "c2", "c3", "c4", "c5"];

const call = defineNode({ type: "call", params: { type: "object" }, run: () => 1 });

type Nodes = Document["nodes"];
type Edges = NonNullable<Document["edges"]>;
type Subject = ServableWorkflow<unknown, unknown, EventSchemas>;

const graph = (name: string, nodes: Nodes, edges: Edges): Document => ({
  format: 1,
  name,
  nodes,
  edges,
});
const calls = (guard?: string): Nodes =>
  Object.fromEntries(
    CALLS.map((id) => [id, { type: "call@1", ...(guard === undefined ? {} : { when: guard }) }]),
  );
const chain = CALLS.slice(1).map((to, index) => ({ from: CALLS[index] ?? "", to }));
const inCode: Subject = workflow<unknown, unknown>({
  name: "code",
  run: async (ctx) => {
    for (const name of CALLS) await ctx.step.run(name, () => 1);
  },
});
const branch = {
  type: "branch@1",
  params: { cases: [{ id: "yes", when: "nodes.c2.output == 1" }] },
};
const forks = chain.flatMap(({ from, to }) =>
  from === "c2"
    ? [
        { from, to: "go" },
        { from: "go", on: "yes", to },
      ]
    : [{ from, to }],
);
const subjects: readonly Subject[] = [
  inCode,
  ...[
    graph("graph", calls(), chain),
    graph("branch", { ...calls(), go: branch }, forks),
    graph("guards", calls("true"), chain),
  ].map((document) => workflowOf(document, { nodes: [call] })),
];

const CONCURRENCY = 10;
const mapped: Subject = workflow<unknown, unknown>({
  name: "map",
  run: async (ctx, input) => {
    const { items } = input as { readonly items: readonly number[] };
    await ctx.step.map("item", items, () => 1, { concurrency: CONCURRENCY });
  },
});
const looped: Subject = workflowOf(
  graph(
    "for_each",
    {
      each: {
        type: "for_each@1",
        params: { items: { $path: "input.items" }, concurrency: CONCURRENCY },
      },
      item: { type: "call@1", parent: "each" },
    },
    [],
  ),
  { nodes: [call] },
);
const loops: readonly Subject[] = [mapped, looped];

await using environment = await prepare();
const { url, database } = environment;
await using client = createWorkflowClient({ url });
const worker = createWorker({
  url,
  workflows: [...subjects, ...loops],
  concurrency: 200,
  localStarts: false,
});

const ALL_ITEMS = Array.from({ length: ITEMS }, (_, at) => at);

interface Cost {
  readonly ms: number;
  readonly cpu: CpuTime;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const before = cpuTime(environment.directory);
  const ms = await timed(work);
  const after = cpuTime(environment.directory);
  return {
    ms,
    cpu: { process: after.process - before.process, database: after.database - before.database },
  };
}

/** A number of runs, from the first start to the last end. */
async function execute(subject: Subject, runs: number, input: object = {}): Promise<void> {
  for (let left = runs; left > 0; left -= 250) {
    await client.startBatch(
      subject,
      Array.from({ length: Math.min(250, left) }, () => ({ input })),
    );
  }
  for (;;) {
    const { rows } = await database.query<{ open: boolean }>(
      "select exists (select from queue.workflow_continuation) as open",
    );
    if (rows[0]?.open !== true) return;
    await sleep(10);
  }
}

const peerFolder = process.env["NODE_RED"];
const nodeRed = peerFolder === undefined ? undefined : await startNodeRed(peerFolder, CALLS);
const peerCosts: Cost[] = [];

const costs = new Map<string, Cost[]>([...subjects, ...loops].map(({ name }) => [name, []]));
const measureAll = async (into?: typeof costs): Promise<void> => {
  for (const subject of subjects) {
    const cost = await costOf(() => execute(subject, RUNS));
    into?.get(subject.name)?.push(cost);
  }
  for (const subject of loops) {
    const cost = await costOf(() => execute(subject, 1, { items: ALL_ITEMS }));
    into?.get(subject.name)?.push(cost);
  }
  if (nodeRed === undefined) return;
  const cost = await costOf(() => nodeRed.run(RUNS));
  if (into !== undefined) peerCosts.push(cost);
};
await measureAll();
for (let round = 1; round <= ROUNDS; round += 1) await measureAll(costs);

const row = (...cells: readonly string[]): string =>
  cells.map((cell, at) => (at === 0 ? cell.padEnd(10) : cell.padStart(14))).join("");
console.log(row("", "per second", "process CPU", "database CPU", "WAL"));
const wal = new Map<string, number>();
for (const subject of [...subjects, ...loops]) {
  const isLoop = loops.includes(subject);
  const [runs, unit, units] = isLoop ? [1, "item", ITEMS] : [RUNS, "run", RUNS];
  const own = costs.get(subject.name) ?? [];
  const { walBytes } = await databaseCost(database, () =>
    execute(subject, runs, isLoop ? { items: ALL_ITEMS } : {}),
  );
  wal.set(subject.name, walBytes);
  const cpu = (of: keyof CpuTime): string =>
    `${Math.min(...own.map((cost) => (cost.cpu[of] / units) * 1_000)).toFixed(0)} µs a ${unit}`;
  console.log(
    row(
      subject.name,
      Math.max(...own.map(({ ms }) => (units / ms) * 1_000)).toFixed(0),
      cpu("process"),
      cpu("database"),
      `${(walBytes / units).toFixed(0)} B a ${unit}`,
    ),
  );
}
if (nodeRed !== undefined) {
  const cpu = Math.min(...peerCosts.map((cost) => (cost.cpu.process / RUNS) * 1_000));
  console.log(
    row(
      "Node-RED",
      Math.max(...peerCosts.map(({ ms }) => (RUNS / ms) * 1_000)).toFixed(0),
      `${cpu.toFixed(0)} µs a run`,
      "–",
      "in memory",
    ),
  );
}
const least = (name: string, of: (cost: Cost) => number): number =>
  Math.min(...(costs.get(name) ?? []).map(of));
for (const [name, base] of [
  ["graph", "code"],
  ["branch", "graph"],
  ["guards", "graph"],
  ["for_each", "map"],
] as const) {
  const ratio = (of: (cost: Cost) => number): string =>
    (least(name, of) / least(base, of)).toFixed(2);
  const cpu = ratio((cost) => cost.cpu.process + cost.cpu.database);
  const bytes = ((wal.get(name) ?? 0) / (wal.get(base) ?? 1)).toFixed(2);
  console.log(`${name} ÷ ${base}: time ${ratio(({ ms }) => ms)}, CPU ${cpu}, WAL ${bytes}`);
}
await nodeRed?.[Symbol.asyncDispose]();
await worker.stop();
