/** A server, and a standby that follows it and can take over. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chownSync,
  cpSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseServerUser, findBinaries } from "@oxbow/sdk/internal/testing";
import { startPostgres } from "@oxbow/sdk/testing";
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

/** A primary and an asynchronous standby. Kept under one folder, which `stop` of the standby removes. */
export class Pair implements Database {
  readonly #folder: string;
  readonly #settings: Readonly<Record<string, string>>;
  #primary: Database;
  #standby: ChildProcess | undefined;
  #standbyPort = 0;
  #hasFailedOver = false;

  private constructor(
    folder: string,
    settings: Readonly<Record<string, string>>,
    primary: Database,
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
    const { port } = this.#primary;
    await this.#primary.stop();
    const dataDir = join(this.#folder, "standby");
    cpSync(join(this.#folder, "primary"), dataDir, { recursive: true, preserveTimestamps: true });
    this.#primary = await startPostgres({
      dataDir: join(this.#folder, "primary"),
      durable: false,
      port,
      settings: this.#settings,
    });
    writeFileSync(join(dataDir, "standby.signal"), "");
    appendFileSync(
      join(dataDir, "postgresql.auto.conf"),
      `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`,
    );
    await this.#startStandby(dataDir, port + 1);
  }

  get port(): number {
    return this.#hasFailedOver ? this.#standbyPort : this.#primary.port;
  }

  urlOf(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  standbyUrlOf(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.#standbyPort}/${database}`;
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
    if (this.#standby?.exitCode === null) {
      const ended = once(this.#standby, "close");
      this.#standby.kill("SIGQUIT");
      await ended;
    }
    await this.#primary.stop({ mode: "immediate" });
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #startStandby(dataDir: string, port: number): Promise<void> {
    const user = chooseServerUser(undefined);
    const { postgres } = findBinaries(undefined, user);
    if (user !== undefined) {
      // The copied files belong to root.
      await once(spawn("chown", ["-R", `${user.uid}:${user.gid}`, dataDir]), "close");
      await once(spawn("chmod", ["700", dataDir]), "close");
    }
    const settings = {
      ...this.#settings,
      port: String(port),
      listen_addresses: "127.0.0.1",
      unix_socket_directories: this.#folder,
      fsync: "off",
    };
    const log = openSync(join(this.#folder, "standby.log"), "a");
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    this.#standby = spawn(postgres, ["-D", dataDir, ...flags], {
      ...user,
      cwd: "/",
      env: { LC_ALL: "C", TZ: "UTC" },
      stdio: ["ignore", log, log],
    });
    this.#standbyPort = port;
    const standby = this.#standby;
    process.on("exit", () => void standby.kill("SIGKILL"));
    await eventually(
      () => this.onStandby("select from pg_stat_wal_receiver where status = 'streaming'"),
      1,
    );
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
