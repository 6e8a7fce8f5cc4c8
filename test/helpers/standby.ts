/** A server, and a standby that follows it and can take over. */
import { execFileSync } from "node:child_process";
import { appendFileSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseServerUser } from "@oxbow/sdk/internal/testing";
import { type Cluster, startPostgres } from "@oxbow/sdk/testing";
import pg from "pg";
import { eventually } from "./eventually.ts";

export interface Database {
  readonly port: number;
  urlOf(database: string): string;
  createDatabase(name: string): Promise<string>;
  start(): Promise<void>;
  restart(options?: { readonly mode?: "smart" | "fast" | "immediate" }): Promise<void>;
  kill(): Promise<void>;
  stop(options?: { readonly mode?: "smart" | "fast" | "immediate" }): Promise<void>;
}

/** A primary and an asynchronous standby. Kept under one folder, which `stop` removes. */
export class Pair implements Database {
  readonly #folder: string;
  readonly #settings: Readonly<Record<string, string>>;
  #primary: Cluster;
  #standby: Cluster | undefined;
  #hasFailedOver = false;

  private constructor(
    folder: string,
    settings: Readonly<Record<string, string>>,
    primary: Cluster,
  ) {
    this.#folder = folder;
    this.#settings = settings;
    this.#primary = primary;
  }

  static async start(settings: Readonly<Record<string, string>>): Promise<Pair> {
    const folder = mkdtempSync(join(tmpdir(), "oxbow-pair-"));
    const user = chooseServerUser(undefined);
    if (user !== undefined) chownSync(folder, user.uid, user.gid);
    const dataDir = join(folder, "primary");
    const primary = await startPostgres({ dataDir, durable: false, settings });
    return new Pair(folder, settings, primary);
  }

  /** Copies the primary, which is stopped for it, and lets the copy follow. */
  async follow(): Promise<void> {
    const { port, dataDir } = this.#primary;
    const copy = join(this.#folder, "standby");
    await this.#primary.stop();
    // With the owner of the files, which is the server's account.
    execFileSync("cp", ["-a", dataDir, copy]);
    this.#primary = await startPostgres({
      dataDir,
      durable: false,
      port,
      settings: this.#settings,
    });
    writeFileSync(join(copy, "standby.signal"), "");
    appendFileSync(
      join(copy, "postgresql.auto.conf"),
      `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`,
    );
    this.#standby = await startPostgres({
      dataDir: copy,
      durable: false,
      settings: this.#settings,
    });
    await eventually(
      () => this.onStandby("select from pg_stat_wal_receiver where status = 'streaming'"),
      1,
    );
  }

  get port(): number {
    return this.#serving.port;
  }

  urlOf(database: string): string {
    return this.#serving.urlOf(database);
  }

  standbyUrlOf(database: string): string {
    return this.#follower.urlOf(database);
  }

  get #serving(): Cluster {
    return this.#hasFailedOver ? this.#follower : this.#primary;
  }

  get #follower(): Cluster {
    if (this.#standby === undefined) throw new Error("There is no standby before follow().");
    return this.#standby;
  }

  createDatabase(name: string): Promise<string> {
    return this.#primary.createDatabase(name);
  }

  /** From now on the standby learns nothing more. */
  async sever(): Promise<void> {
    await this.onStandby("alter system set primary_conninfo = ''");
    await this.onStandby("select pg_reload_conf()");
    await eventually(() => this.onStandby("select from pg_stat_wal_receiver"), 0, {
      withinMs: 30_000,
    });
  }

  /** The primary is gone for good; the standby is the database. */
  async failOver(): Promise<void> {
    await this.#primary.kill();
    await this.onStandby("select pg_promote(true, 60)");
    this.#hasFailedOver = true;
  }

  /** Until the standby has all that the primary has. */
  async caughtUp(): Promise<void> {
    const session = new pg.Client({ connectionString: this.#primary.urlOf("postgres") });
    await session.connect();
    try {
      const { rows } = await session.query<{ at: string }>(
        "select pg_current_wal_lsn()::text as at",
      );
      await eventually(
        () => this.onStandby(`select where pg_last_wal_replay_lsn() >= '${rows[0]?.at}'::pg_lsn`),
        1,
        { withinMs: 30_000 },
      );
    } finally {
      await session.end();
    }
  }

  async start(): Promise<void> {
    await this.#primary.start();
  }

  async restart(): Promise<void> {
    await this.#primary.restart();
  }

  async kill(): Promise<void> {
    await this.#primary.kill();
  }

  async stop(): Promise<void> {
    await this.#standby?.stop({ mode: "immediate" });
    await this.#primary.stop({ mode: "immediate" });
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs a statement on the standby; returns the number of rows. */
  async onStandby(statement: string): Promise<number> {
    const session = new pg.Client({ connectionString: this.standbyUrlOf("postgres") });
    session.on("error", () => {});
    await session.connect();
    try {
      return (await session.query(statement)).rowCount ?? 0;
    } finally {
      await session.end();
    }
  }
}
