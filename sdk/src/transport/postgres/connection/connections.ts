/**
 * Connections of the driver to one database: those that single statements share, and those of transactions. Keeps the
 * promises P8 and P9 of `pool.ts`.
 */
import { unlessAborted } from "../../../async/unless-aborted.ts";
import { within } from "../../../async/within.ts";
import { ConnectionFailed } from "../../../core/errors.ts";
import { columnTypes } from "./column-types.ts";
import { ConnectionShares, type Pools, type Purpose } from "./connection-shares.ts";
import { Servers } from "./servers.ts";
import { SilenceWatch } from "./silence-watch.ts";
import { Sockets, cutConnection } from "./sockets.ts";
import pg from "pg";

const CLOSE_WITHIN_MS = 2_000;
const READ_COMMITTED = String.raw`-c default_transaction_isolation=read\ committed`;

export interface ConnectionOptions {
  readonly url: string;
  /** Together; at least one for each purpose that is used. */
  readonly maxConnections: number;
  readonly applicationName: string;
  /** Called when connections have fallen silent; other ones may have, too. */
  readonly onSilence: () => void;
}

/** The driver knows the timeout of each statement; its types don't say so. */
export interface Statement extends pg.QueryConfig {
  readonly query_timeout?: number;
  readonly rowMode?: string;
}

export class Connections {
  /** A proxy is in between, which may give each transaction another session. */
  isProxied = false;
  #isReadCommitted = false;
  readonly #pools: Pools;
  readonly #shares: ConnectionShares;
  readonly #servers: Servers;
  readonly #sockets = new Sockets();
  readonly #idle = new Set<pg.PoolClient>();
  readonly #silence: SilenceWatch;
  readonly #closing = new AbortController();

  constructor({ url, maxConnections, applicationName, onSilence }: ConnectionOptions) {
    this.#servers = new Servers(url, this.#sockets);
    const settings = {
      Client: this.#servers.Client,
      max: maxConnections,
      application_name: applicationName,
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
    };
    const ofOxbow = { ...settings, Client: this.#clientOfOxbow() };
    const typed = { ...ofOxbow, types: columnTypes };
    this.#pools = {
      statements: new pg.Pool(typed),
      transactions: new pg.Pool(settings),
      relays: new pg.Pool(ofOxbow),
      exports: new pg.Pool(typed),
    };
    this.#shares = new ConnectionShares(this.#pools, maxConnections);
    // A lost connection is reported twice: by its statement, or at its next use, and by an event, which would end the
    // process without a listener.
    for (const pool of Object.values(this.#pools)) {
      pool.on("error", () => {});
      pool.on("connect", (client) => void client.on("error", () => {}));
      pool.on("acquire", (client) => void this.#idle.delete(client));
      pool.on("release", (_error, client) => void this.#idle.add(client));
      pool.on("remove", (client) => void this.#idle.delete(client));
    }
    this.#silence = new SilenceWatch({
      servers: this.#servers,
      applicationName,
      onFound: () => {
        for (const client of this.#idle) cutConnection(client);
        onSilence();
      },
    });
  }

  /** Where they lead, in words. */
  get target(): string {
    return this.#servers.target;
  }

  /** Aborts when they are closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * A connection, to be released.
   *
   * @throws ConnectionFailed if the wait for one is given up.
   */
  async connect(purpose: Purpose, giveUp?: AbortSignal): Promise<pg.PoolClient> {
    for (const signal of [this.#closing.signal, giveUp]) {
      if (signal?.aborted !== true) continue;
      throw new ConnectionFailed({ target: this.target, sent: false, cause: signal.reason });
    }
    const connected = this.#servers.connectBy(() => this.#shares.connect(purpose));
    if (giveUp === undefined) return connected;
    try {
      return await unlessAborted(connected, giveUp);
    } catch (error) {
      if (!giveUp.aborted) throw error;
      connected.then(
        (client) => client.release(),
        () => {},
      );
      throw new ConnectionFailed({ target: this.target, sent: false, cause: error });
    }
  }

  /**
   * Makes read committed what the database would not: statements, and transactions of relays. Callbacks of `step.tx` keep
   * the level of the database, and so do options that choose one. Call it while one connection is open at most.
   */
  async readCommitted(): Promise<void> {
    this.#isReadCommitted = true;
    // A database that is lost has ended the session with the other level itself.
    const client = await this.connect("statements").catch(() => null);
    client?.release(true);
  }

  /** The session behind a connection; undefined where a proxy gives each transaction another one. */
  sessionOf(client: pg.PoolClient): number | undefined {
    return this.isProxied ? undefined : processIdOf(client);
  }

  /** A statement is sent, and fails if its connection turns out to be silent. The returned function ends the watch. */
  expectAnswer(client: pg.PoolClient, session: number | undefined): () => void {
    return this.#silence.expect(client, session);
  }

  /** Waits for an answer, and fails if the connection turns out to be silent. */
  async watched<Value>(
    client: pg.PoolClient,
    session: number | undefined,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const isAnswered = this.expectAnswer(client, session);
    try {
      return await work();
    } finally {
      isAnswered();
    }
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new Error("the client was closed"));
    this.#silence.close();
    const ended = Promise.all(Object.values(this.#pools).map((pool) => pool.end()));
    if (!(await within(CLOSE_WITHIN_MS, ended))) this.#sockets.destroy();
  }

  #clientOfOxbow(): Servers["Client"] {
    const isReadCommitted = (): boolean => this.#isReadCommitted;
    return class extends this.#servers.Client {
      constructor(config?: pg.ClientConfig) {
        super(config);
        if (!isReadCommitted()) return;
        // Read from the url and the environment. The driver's types don't have it.
        const parameters = Reflect.get(this, "connectionParameters") as { options?: string };
        parameters.options = `${READ_COMMITTED} ${parameters.options ?? ""}`;
      }
    };
  }
}

/** The session of a connection, as the server, or a proxy, sent it. The driver keeps it, and its types don't say so. */
export function processIdOf(client: pg.PoolClient): number | undefined {
  const id: unknown = Reflect.get(client, "processID");
  return typeof id === "number" ? id : undefined;
}
