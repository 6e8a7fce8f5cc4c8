/** One look at the database under load: what happened since the last one, and how large everything is. */
import type { Client } from "pg";
import { cpuTime, processTime } from "../measure/cpu.ts";
import { QUEUE } from "./load.ts";

export interface Sample {
  /** Seconds since the beginning. */
  readonly at: number;
  /** Runs that completed a second, since the last sample. */
  readonly rate: number;
  /** Time from start to end of the runs that ended since the last sample. Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  /** CPU of the database for a run. Milliseconds. */
  readonly cpuARun: number;
  /** Share of the database's CPU that the server's sessions took, which sweep. */
  readonly sweeping: number;
  readonly kept: number;
  /** Messages of the queue. */
  readonly waiting: number;
  /** Bytes. */
  readonly tables: number;
  readonly indexes: number;
  /** Bytes of each table and index. */
  readonly relations: ReadonlyMap<string, number>;
  readonly deadRows: number;
}

interface Counters {
  readonly at: number;
  readonly database: number;
  readonly sweeping: number;
}

const ENDED = `
  select count(*)::float8 as ended,
    percentile_cont(0.5) within group (order by extract(epoch from r.completed_at - r.started_at) * 1000) as p50,
    percentile_cont(0.95) within group (order by extract(epoch from r.completed_at - r.started_at) * 1000) as p95
  from queue.workflow_run as r
  where r.expires_at > clock_timestamp() + make_interval(secs => $1::float8 - $2::float8)`;

const SIZES = `
  select sum(pg_table_size(s.relid))::float8 as tables, sum(pg_indexes_size(s.relid))::float8 as indexes,
    sum(s.n_dead_tup)::float8 as dead,
    (select count(*)::float8 from queue.workflow_run) as kept,
    (select count(*)::float8 from queue.q_${QUEUE}) as waiting
  from pg_stat_user_tables as s
  where s.schemaname = 'queue'`;

const RELATIONS = `
  select c.relname as name, pg_relation_size(c.oid)::float8 as bytes
  from pg_class as c
  where c.relnamespace = 'queue'::regnamespace
    and c.relkind in ('r', 'i')`;

/** Sessions of the server process, by its role. */
const SWEEPERS = `
  select a.pid from pg_stat_activity as a
  where a.datname = current_database() and a.usename = $1`;

export class Sampler {
  readonly #database: Client;
  readonly #directory: string;
  readonly #sweeper: string;
  readonly #retentionSeconds: number;
  readonly #began = performance.now();
  /** CPU of each session of the server when it was last seen. Milliseconds. */
  readonly #sessions = new Map<number, number>();
  #last: Counters;

  /** @param sweeper The role of the server. */
  constructor(
    database: Client,
    {
      directory,
      sweeper,
      retentionSeconds,
    }: { readonly directory: string; readonly sweeper: string; readonly retentionSeconds: number },
  ) {
    this.#database = database;
    this.#directory = directory;
    this.#sweeper = sweeper;
    this.#retentionSeconds = retentionSeconds;
    this.#last = { at: performance.now(), database: cpuTime(directory).database, sweeping: 0 };
  }

  async take(): Promise<Sample> {
    const before = this.#last;
    const sweeping = before.sweeping + (await this.#sweeping());
    const now = { at: performance.now(), database: cpuTime(this.#directory).database, sweeping };
    this.#last = now;
    const seconds = (now.at - before.at) / 1_000;
    const ended = await this.#row(ENDED, [this.#retentionSeconds, seconds]);
    const sizes = await this.#row(SIZES);
    const cpu = now.database - before.database;
    return {
      at: (now.at - this.#began) / 1_000,
      rate: (ended["ended"] ?? 0) / seconds,
      p50: ended["p50"] ?? Number.NaN,
      p95: ended["p95"] ?? Number.NaN,
      cpuARun: cpu / (ended["ended"] ?? 0),
      sweeping: (now.sweeping - before.sweeping) / cpu,
      kept: sizes["kept"] ?? 0,
      waiting: sizes["waiting"] ?? 0,
      tables: sizes["tables"] ?? 0,
      indexes: sizes["indexes"] ?? 0,
      relations: await this.#relations(),
      deadRows: sizes["dead"] ?? 0,
    };
  }

  /** CPU of the sessions of the server since the last time. Milliseconds. */
  async #sweeping(): Promise<number> {
    const { rows } = await this.#database.query<{ pid: number }>(SWEEPERS, [this.#sweeper]);
    let sum = 0;
    for (const { pid } of rows) {
      const { own: used } = processTime(pid);
      sum += used - (this.#sessions.get(pid) ?? 0);
      this.#sessions.set(pid, used);
    }
    return sum;
  }

  async #relations(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#database.query<{ name: string; bytes: number }>(RELATIONS);
    return new Map(rows.map(({ name, bytes }) => [name, bytes]));
  }

  async #row(text: string, values: readonly unknown[] = []): Promise<Record<string, number>> {
    const { rows } = await this.#database.query<Record<string, number>>(text, [...values]);
    return rows[0] ?? {};
  }
}
