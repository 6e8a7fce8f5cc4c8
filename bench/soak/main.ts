/**
 * `make bench-soak`: a mixed load at LOAD (0.6) of what the machine can do, for MINUTES (60), with a retention of
 * RETENTION (300) seconds and autovacuum as Postgres ships it. Writes bench/results/soak.md and soak.svg, and exits
 * with 1 if something grows that should not.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import type { Client } from "pg";
import { prepare } from "../environment.ts";
import { startChild } from "../measure/child.ts";
import { Load, QUEUE } from "./load.ts";
import { STEPS } from "./order.ts";
import { report } from "./report.ts";
import { type Sample, Sampler } from "./sample.ts";

const MINUTES = Number(process.env["MINUTES"] ?? 60);
const RETENTION_SECONDS = Number(process.env["RETENTION"] ?? 300);
const LOAD = Number(process.env["LOAD"] ?? 0.6);
const SAMPLE_MS = 10_000;
const CALIBRATION_MS = 30_000;
/** Warm-up of the calibration, whose first seconds compile and plan. */
const WARM_UP_MS = 10_000;
const MOST_UNDER_WAY = 2_000;
const SWEEPER = "soak_sweeper";

const UNDER_WAY = `
  select (select count(*) from queue.workflow_continuation)::int
    + (select count(*) from queue.q_${QUEUE})::int as count`;

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exit(1);
}

async function main(): Promise<boolean> {
  await using environment = await prepare();
  const { url, database, directory } = environment;
  await database.query(`create role ${SWEEPER} superuser login`);
  await shortenRetention(database);
  const swept = new URL(url);
  swept.username = SWEEPER;
  const children = [
    await startChild(new URL("worker.ts", import.meta.url), [url]),
    await startChild(new URL("server.ts", import.meta.url), [
      swept.href,
      String((RETENTION_SECONDS * 1_000) / 10),
    ]),
  ];
  await using client = createWorkflowClient({ url });
  await client.queues.create(QUEUE, { fifo: true });
  const sampler = new Sampler(database, {
    directory,
    sweeper: SWEEPER,
    retentionSeconds: RETENTION_SECONDS,
  });
  const full = await calibrate(client, database, sampler);
  const rate = full * LOAD;
  console.log(`full load: ${full.toFixed(0)} runs/s; ${MINUTES} minutes at ${rate.toFixed(0)}`);
  const { samples, missed } = await soak(client, sampler, rate);
  for (const child of children) child.kill();
  return report(samples, {
    rate,
    steps: STEPS,
    load: LOAD,
    minutes: MINUTES,
    retentionSeconds: RETENTION_SECONDS,
    missed,
  });
}

/** Full load: as many starts as are completed, and messages as are consumed, with many under way. */
async function calibrate(
  client: WorkflowClient,
  database: Client,
  sampler: Sampler,
): Promise<number> {
  const load = new Load(client);
  const watch = watchUnderWay(database);
  load.run(Infinity, MOST_UNDER_WAY, () => watch.underWay());
  await sleep(WARM_UP_MS);
  await sampler.take();
  await sleep(CALIBRATION_MS);
  const { rate: found } = await sampler.take();
  await load.stop();
  watch.stop();
  return found;
}

async function soak(
  client: WorkflowClient,
  sampler: Sampler,
  runsASecond: number,
): Promise<{ readonly samples: readonly Sample[]; readonly missed: number }> {
  const load = new Load(client);
  load.run(runsASecond, Infinity, () => 0);
  await sampler.take();
  const taken: Sample[] = [];
  const until = performance.now() + MINUTES * 60_000;
  while (performance.now() < until) {
    await sleep(SAMPLE_MS);
    load.check();
    const sample = await sampler.take();
    taken.push(sample);
    const size = ((sample.tables + sample.indexes) / 1_048_576).toFixed(0);
    console.log(
      `${sample.at.toFixed(0)} s: ${sample.rate.toFixed(0)} runs/s, p95 ${sample.p95.toFixed(0)} ms, ${size} MiB`,
    );
  }
  await load.stop();
  return { samples: taken, missed: load.missed };
}

/** A count that is fresh enough to hold starts back by. */
function watchUnderWay(database: Client): {
  readonly underWay: () => number;
  readonly stop: () => void;
} {
  let underWay = 0;
  const timer = setInterval(() => {
    void database.query<{ count: number }>(UNDER_WAY).then(
      ({ rows }) => {
        underWay = rows[0]?.count ?? 0;
      },
      // The soak has failed, and says why.
      () => {},
    );
  }, 100);
  return { underWay: () => underWay, stop: () => clearInterval(timer) };
}

/** Retention is counted in days: here, a day takes RETENTION seconds. */
async function shortenRetention(session: Client): Promise<void> {
  const [days, seconds] = [
    "make_interval(days => r.retention_days)",
    `make_interval(secs => ${RETENTION_SECONDS} * r.retention_days)`,
  ];
  const { rows } = await session.query<{ source: string }>(
    "select pg_get_functiondef('queue._end_runs'::regproc) as source",
  );
  const source = rows[0]?.source ?? "";
  if (!source.includes(days)) throw new Error(`queue._end_runs doesn't contain ${days}.`);
  await session.query(source.replace(days, seconds));
}
