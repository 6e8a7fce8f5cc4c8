/**
 * `make bench-held`: queues at 80% of their full load while a repeatable read transaction holds its snapshot, next to a
 * pgmq-style table. Takes MINUTES (default 10) for each, and writes bench/results/held-snapshot.md.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { writeFileSync } from "node:fs";
import type pg from "pg";
import { prepare } from "./environment.ts";
import { connectTo } from "./measure/connect.ts";
import { fifoQueue, standardQueue } from "./queues/oxbow.ts";
import { pgmqStyleTable } from "./queues/pgmq-style-table.ts";
import type { Subject } from "./queues/subject.ts";
import { describeMachine } from "./machine.ts";

const BATCH = 100;
const LOAD = 0.8;
const CALIBRATION_MS = 15_000;
const HELD_MS = Number(process.env["MINUTES"] ?? 10) * 60_000;
const MESSAGES = Array.from({ length: BATCH }, () => JSON.stringify({ note: "x".repeat(120) }));
/** A consumer that is this far behind is not sent more to: its rate is what is asked about. */
const MOST_WAITING = 20_000;

interface Phase {
  /** Messages acknowledged a second, over all and over the last fifth of the time. */
  readonly rate: number;
  readonly lastRate: number;
  /** Buffers that the whole database touched for a message, over the last fifth. */
  readonly lastBuffers: number;
}

class Load {
  readonly #subject: Subject;
  readonly #clients: readonly [pg.Client, pg.Client, pg.Client];
  sent = 0;
  acknowledged = 0;

  constructor(subject: Subject, clients: readonly [pg.Client, pg.Client, pg.Client]) {
    this.#subject = subject;
    this.#clients = clients;
  }

  /** Sends at the rate (a second) and receives as fast as it goes; the clock decides, not the count. */
  async run(milliseconds: number, rate: number): Promise<Phase> {
    const startedAt = performance.now();
    const until = startedAt + milliseconds;
    const [before, last] = [this.acknowledged, { at: 0, acknowledged: 0, buffers: 0 }];
    const [producer, consumer, monitor] = this.#clients;
    const sentBefore = this.sent;

    const produce = async (): Promise<void> => {
      while (performance.now() < until) {
        const due = sentBefore + ((performance.now() - startedAt) / 1_000) * rate;
        if (this.sent > due || this.sent - this.acknowledged > MOST_WAITING) {
          await sleep(2);
          continue;
        }
        await this.#subject.sendBatch(producer, MESSAGES);
        this.sent += BATCH;
      }
    };
    const consume = async (): Promise<void> => {
      while (performance.now() < until) {
        const received = await this.#subject.receiveAndAck(consumer, BATCH);
        this.acknowledged += received;
        if (received === 0) await sleep(2);
      }
    };
    const watch = async (): Promise<void> => {
      await sleep(milliseconds * 0.8);
      last.buffers = await buffersOf(monitor);
      last.at = performance.now();
      last.acknowledged = this.acknowledged;
    };
    await Promise.all([produce(), consume(), watch()]);
    const endedAt = performance.now();
    const lastMessages = this.acknowledged - last.acknowledged;
    return {
      rate: ((this.acknowledged - before) / (endedAt - startedAt)) * 1_000,
      lastRate: (lastMessages / (endedAt - last.at)) * 1_000,
      lastBuffers: ((await buffersOf(monitor)) - last.buffers) / lastMessages,
    };
  }
}

async function buffersOf(client: pg.Client): Promise<number> {
  await client.query("select pg_stat_clear_snapshot()");
  const { rows } = await client.query<{ buffers: number }>(
    `select (blks_hit + blks_read)::float8 as buffers
     from pg_stat_database where datname = current_database()`,
  );
  return rows[0]?.buffers ?? Number.NaN;
}

async function measure(subject: Subject): Promise<string> {
  await using environment = await prepare();
  const open = (): Promise<pg.Client> => connectTo(environment.url);
  await subject.create(environment.database);
  await environment.database.query("create table unrelated as select 1 as n");
  const clients = [await open(), await open(), await open()] as const;
  const holder = await open();
  const load = new Load(subject, clients);

  await load.run(5_000, Infinity);
  const full = await load.run(CALIBRATION_MS, Infinity);
  const undisturbed = await load.run(CALIBRATION_MS * 2, full.rate * LOAD);
  await holder.query("begin isolation level repeatable read");
  await holder.query("select * from unrelated");
  const held = await load.run(HELD_MS, full.rate * LOAD);
  await Promise.all([...clients, holder].map((client) => client.end()));

  const share = (rate: number): string => `${Math.round((rate / undisturbed.rate) * 100)}%`;
  const cells = [
    subject.name,
    Math.round(full.rate).toLocaleString("en"),
    Math.round(undisturbed.rate).toLocaleString("en"),
    share(held.rate),
    share(held.lastRate),
    undisturbed.lastBuffers.toFixed(0),
    held.lastBuffers.toFixed(0),
  ];
  const row = `| ${cells.join(" | ")} |`;
  console.log(row);
  return row;
}

const table = [
  "| queue | full load, messages/s | at 80% | with the snapshot held | in its last fifth | buffers a message | held, last fifth |",
  "| --- | --- | --- | --- | --- | --- | --- |",
];
console.log(`\n${describeMachine()}\n\n${table.join("\n")}`);
for (const subject of [standardQueue, fifoQueue, pgmqStyleTable])
  table.push(await measure(subject));
writeFileSync(
  new URL("results/held-snapshot.md", import.meta.url),
  `${describeMachine()}; the snapshot held for ${HELD_MS / 60_000} minutes\n\n${table.join("\n")}\n`,
);
