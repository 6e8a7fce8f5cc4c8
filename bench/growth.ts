/**
 * `make bench-growth`: how the figures change as things grow: histories, ended and sleeping runs, workers, runs
 * in flight, outputs, the way to the database. Each figure stands next to its starting point, measured in the
 * same minute. QUICK=1 is smaller and saves nothing. Writes bench/results/growth.md.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { readable } from "./figure.ts";
import {
  type GrowthEnvironment as Environment,
  type GrowthWorker,
  prepareGrowth,
} from "./growth-environment.ts";
import { delayedProxy } from "./measure/delayed-proxy.ts";
import { median } from "./measure/stats.ts";
import { timed } from "./measure/timed.ts";
import { describeMachine } from "./machine.ts";
import { table } from "./markdown.ts";
import { inSequence, longSleeper, oneStep, withOutputs } from "./workflows.ts";

const isQuick = (process.env["QUICK"] ?? "") !== "";
const MANY = isQuick ? 20_000 : 1_000_000;
const RUNS = isQuick ? 300 : 2_000;
const STEPS = 5;

const tables: { readonly title: string; readonly rows: string[][] }[] = [];

/** Measures what grows, in order. Each figure is shown with its ratio to the first. */
async function grow(
  title: string,
  unit: string,
  cases: readonly (readonly [string, () => Promise<number>])[],
): Promise<void> {
  const rows: string[][] = [];
  let first: number | undefined;
  for (const [what, measure] of cases) {
    const value = await measure();
    first ??= value;
    rows.push([what, `${readable(value)} ${unit}`, `${(value / first).toFixed(2)}×`]);
    console.log(`  ${title}: ${what}`.padEnd(84), `${readable(value)} ${unit}`);
  }
  tables.push({ title, rows });
}

/** Measures with workers, once they have warmed up. */
async function withWorkers(
  start: readonly Promise<GrowthWorker>[],
  warmUp: () => Promise<number>,
  measure: () => Promise<number> = () => medianOf(3, warmUp),
): Promise<number> {
  const crew = await Promise.all(start);
  await warmUp();
  const value = await measure();
  for (const worker of crew) await worker.end();
  return value;
}

async function medianOf(samples: number, work: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let n = 0; n < samples; n += 1) values.push(await work());
  return median(values);
}

/** Steps a second, of runs that are started together. */
async function throughput(
  { client }: Pick<Environment, "client">,
  runs: number,
  bytes?: number,
): Promise<number> {
  const started = () =>
    bytes === undefined
      ? client.start(inSequence, { steps: STEPS })
      : client.start(withOutputs, { steps: STEPS, bytes });
  const ms = await timed(async () => {
    const handles = await Promise.all(Array.from({ length: runs }, started));
    await Promise.all(handles.map((handle) => handle.result()));
  });
  return ((runs * STEPS) / ms) * 1_000;
}

const startToResult = ({ client }: Pick<Environment, "client">): Promise<number> =>
  medianOf(50, () => timed(async () => (await client.start(oneStep, undefined)).result()));

async function histories(environment: Environment): Promise<void> {
  const { client } = environment;
  const worker = await environment.startWorker();
  await (await client.start(inSequence, { steps: 200 })).result();
  const lengths = isQuick ? [10, 100, 1_000] : [10, 100, 1_000, 10_000];
  await grow(
    "one run of n steps in sequence, a step",
    "ms",
    lengths.map((steps) => [
      `${steps.toLocaleString("en")} steps`,
      () =>
        medianOf(steps >= 10_000 ? 1 : 5, async () => {
          const ms = await timed(async () => (await client.start(inSequence, { steps })).result());
          return ms / steps;
        }),
    ]),
  );
  await grow(
    "a run with n journaled steps resumes after a sleep: how late",
    "ms",
    lengths.map((steps) => [
      `${steps.toLocaleString("en")} rows in the journal`,
      () =>
        medianOf(3, async () => {
          const run = await client.start(longSleeper, { steps, ms: 1_000 });
          const wokeAt = await run.result();
          const journal = await client.runs.steps(run.runId);
          const sleep = journal.find(({ kind }) => kind === "sleep");
          return wokeAt - ((sleep?.startedAt.getTime() ?? 0) + 1_000);
        }),
    ]),
  );
  await worker.end();
}

/** The heap of a worker, collected, as it executes run after run. */
async function memory(environment: Environment): Promise<void> {
  const worker = await environment.startWorker();
  const share = isQuick ? 1_000 : 25_000;
  const runs = async (): Promise<number> => {
    for (let done = 0; done < share; done += 1_000) await throughput(environment, 1_000);
    return worker.heapMb();
  };
  await throughput(environment, 1_000);
  await grow("heap of a worker, collected, after n runs of 5 steps", "MB", [
    ["1,000 runs", () => worker.heapMb()],
    ...[1, 2, 3, 4].map((n): readonly [string, () => Promise<number>] => [
      `${(1_000 + n * share).toLocaleString("en")} runs`,
      runs,
    ]),
  ]);
  await worker.end();
}

async function crowds(environment: Environment): Promise<void> {
  const { database } = environment;
  const crowd = async (delaySeconds: number): Promise<void> => {
    for (let started = 0; started < MANY; started += 10_000) {
      await database.query(
        `select count(*) from queue.workflow_start_batch('in-sequence',
           array_fill('{"steps": 5}'::jsonb, array[10000]), delay_seconds => array_fill($1::numeric, array[10000]))`,
        [delaySeconds],
      );
    }
  };
  const measure = () =>
    withWorkers([environment.startWorker()], () => throughput(environment, RUNS));
  const startOne = () => startToResult(environment);
  const latency = () => withWorkers([environment.startWorker()], startOne, startOne);
  let latencies: number[] = [];
  const both = async () => {
    latencies = [...latencies, await latency()];
    return measure();
  };
  const many = MANY.toLocaleString("en");
  await grow(`${RUNS.toLocaleString("en")} runs of 5 steps, while others sleep`, "steps/s", [
    ["nothing else there", both],
    [
      `${many} sleeping runs`,
      async () => {
        await crowd(86_400);
        await database.query("vacuum analyze queue.workflow_continuation, queue.workflow_run");
        return both();
      },
    ],
    [
      `${many} ended runs instead`,
      async () => {
        await database.query(
          `with gone as (delete from queue.workflow_continuation returning msg_id)
           update queue.workflow_run as r set status = 'completed', completed_at = now(), expires_at = now() + interval '30 days'
           from gone where r.run_id = gone.msg_id`,
        );
        await database.query("vacuum analyze queue.workflow_continuation, queue.workflow_run");
        return both();
      },
    ],
  ]);
  const [alone, sleeping, ended] = latencies.map((ms) => () => Promise.resolve(ms));
  if (alone === undefined || sleeping === undefined || ended === undefined) return;
  await grow("the same: start to result of one run of one step", "ms", [
    ["nothing else there", alone],
    [`${many} sleeping runs`, sleeping],
    [`${many} ended runs instead`, ended],
  ]);
}

async function workers(environment: Environment): Promise<void> {
  await grow(
    `${RUNS.toLocaleString("en")} runs of 5 steps, worker processes`,
    "steps/s",
    [1, 2, 4].map((count) => [
      `${count}`,
      () =>
        withWorkers(
          Array.from({ length: count }, () => environment.startWorker()),
          () => throughput(environment, RUNS),
        ),
    ]),
  );
}

async function inFlight(environment: Environment): Promise<void> {
  await grow(
    `${RUNS.toLocaleString("en")} runs of 5 steps, slots of the worker`,
    "steps/s",
    [10, 100, 1_000].map((slots) => [
      `${slots}`,
      () => withWorkers([environment.startWorker(slots)], () => throughput(environment, RUNS)),
    ]),
  );
}

async function outputs(environment: Environment): Promise<void> {
  const worker = await environment.startWorker();
  const runs = Math.ceil(RUNS / 10);
  await throughput(environment, runs, 10);
  await grow(
    `${runs.toLocaleString("en")} runs of 5 steps, output of each step`,
    "steps/s",
    (
      [
        ["10 bytes", 10],
        ["1 KiB", 1_024],
        ["64 KiB", 65_536],
      ] as const
    ).map(([what, bytes]) => [what, () => medianOf(3, () => throughput(environment, runs, bytes))]),
  );
  await worker.end();
}

async function faraway(environment: Environment): Promise<void> {
  const ways = [
    ["on the same machine", 0],
    ["10 ms there and back", 5],
  ] as const;
  const over = (
    measure: (client: WorkflowClient, worker: Promise<GrowthWorker>) => Promise<number>,
  ) =>
    ways.map(([what, oneWayMs]) => {
      const measureThere = async (): Promise<number> => {
        await using proxy = await delayedProxy(environment.url, oneWayMs);
        await using client = createWorkflowClient({ url: proxy.url });
        return await measure(client, environment.startWorker(200, proxy.url));
      };
      return [what, measureThere] as const;
    });
  await grow(
    `${RUNS.toLocaleString("en")} runs of 5 steps, the way to Postgres`,
    "steps/s",
    over((client, worker) => withWorkers([worker], () => throughput({ client }, RUNS))),
  );
  await grow(
    "the same: start to result of one run of one step",
    "ms",
    over((client, worker) => {
      const startOne = () => startToResult({ client });
      return withWorkers([worker], startOne, startOne);
    }),
  );
}

console.log(`\n  ${describeMachine()}\n`);
const scenarios = { histories, workers, inFlight, outputs, faraway, memory, crowds };
const chosen = (process.env["SCENARIOS"] ?? Object.keys(scenarios).join(",")).split(",");
for (const [name, scenario] of Object.entries(scenarios)) {
  if (!chosen.includes(name)) continue;
  await using environment = await prepareGrowth();
  await scenario(environment);
}

if (!isQuick && process.env["SCENARIOS"] === undefined) {
  const directory = new URL("results/", import.meta.url);
  mkdirSync(directory, { recursive: true });
  const text = tables.flatMap(({ title, rows }) => [
    `## ${title.charAt(0).toUpperCase()}${title.slice(1)}`,
    "",
    table(["", "", "against the first"], rows),
    "",
  ]);
  writeFileSync(
    new URL("growth.md", directory),
    `# How the figures grow\n\n${describeMachine()}, ${new Date().toISOString().slice(0, 10)}\n\n${text.join("\n")}`,
  );
}
