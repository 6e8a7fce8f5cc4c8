/**
 * `make bench-declared ROUNDS=20`: runs of five calls as a body in code, as a graph, and as graphs that decide: by a branch,
 * and by a guard on each call. By turns, in one process with one worker. The figures are those of the best round, which a busy
 * machine disturbs least; the ratios are the result.
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

const ROUNDS = Number(process.env["ROUNDS"] ?? 20);
const RUNS = Math.round(500 * Number(process.env["SCALE"] ?? 1));
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

await using environment = await prepare();
const { url, database } = environment;
await using client = createWorkflowClient({ url });
const worker = createWorker({
  url,
  workflows: subjects,
  concurrency: 200,
  localStarts: false,
});

interface Cost {
  readonly ms: number;
  readonly cpu: CpuTime;
}

/** Of a number of runs, from the first start to the last end. */
async function measure(subject: Subject, runs: number): Promise<Cost> {
  const [startedAt, before] = [performance.now(), cpuTime(environment.directory)];
  for (let left = runs; left > 0; left -= 250) {
    await client.startBatch(
      subject,
      Array.from({ length: Math.min(250, left) }, () => ({ input: {} })),
    );
  }
  for (;;) {
    const { rows } = await database.query<{ open: boolean }>(
      "select exists (select from queue.workflow_continuation) as open",
    );
    if (rows[0]?.open !== true) break;
    await sleep(10);
  }
  const after = cpuTime(environment.directory);
  return {
    ms: performance.now() - startedAt,
    cpu: { process: after.process - before.process, database: after.database - before.database },
  };
}

const costs = new Map<string, Cost[]>(subjects.map(({ name }) => [name, []]));
for (const subject of subjects) await measure(subject, RUNS);
for (let round = 1; round <= ROUNDS; round += 1) {
  for (const subject of subjects) costs.get(subject.name)?.push(await measure(subject, RUNS));
}

const row = (...cells: readonly string[]): string =>
  cells.map((cell, at) => (at === 0 ? cell.padEnd(10) : cell.padStart(14))).join("");
console.log(row("", "runs/s", "process CPU", "database CPU", "WAL"));
for (const subject of subjects) {
  const own = costs.get(subject.name) ?? [];
  const { walBytes } = await databaseCost(
    database,
    async () => void (await measure(subject, RUNS)),
  );
  console.log(
    row(
      subject.name,
      Math.max(...own.map(({ ms }) => (RUNS / ms) * 1_000)).toFixed(0),
      `${Math.min(...own.map(({ cpu }) => (cpu.process / RUNS) * 1_000)).toFixed(0)} µs a run`,
      `${Math.min(...own.map(({ cpu }) => (cpu.database / RUNS) * 1_000)).toFixed(0)} µs a run`,
      `${(walBytes / RUNS).toFixed(0)} B a run`,
    ),
  );
}
const least = (name: string, of: (cost: Cost) => number): number =>
  Math.min(...(costs.get(name) ?? []).map(of));
for (const [name, base] of [
  ["graph", "code"],
  ["branch", "graph"],
  ["guards", "graph"],
] as const) {
  const ratio = (of: (cost: Cost) => number): string =>
    (least(name, of) / least(base, of)).toFixed(2);
  const cpu = ratio((cost) => cost.cpu.process + cost.cpu.database);
  console.log(`${name} ÷ ${base}: time ${ratio(({ ms }) => ms)}, CPU ${cpu}`);
}
await worker.stop();
